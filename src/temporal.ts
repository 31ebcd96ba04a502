import { Client, Connection } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import { SEARCH_ATTRIBUTES } from './workflows/contract.js'
import type { Config } from './config.js'

/** gRPC codes of «that is there already»: another worker registered it first. */
const ALREADY_EXISTS = 6
/** Three days: our database is the record of deliveries, Temporal's is for looking at them (design section 3). */
const RETENTION_S = 3 * 24 * 3600
const INDEXED_VALUE_TYPE_KEYWORD = 2

/** The client of the api: it connects when first used, so the api boots and serves without Temporal. */
export function lazyTemporalClient({ temporal }: Config): Client {
  const connection = Connection.lazy(temporal.connectionOptions)
  return new Client({ connection, namespace: temporal.namespace })
}

/** How long registering may take: a Temporal that hangs must hold nobody up. */
export const REGISTRATION_LIMIT_MS = 3_000

/** Registers what is missing: the namespace where that is allowed, and our search attributes. */
export function registerAtTemporal(connection: NativeConnection, namespace: string): Promise<void> {
  return connection.withDeadline(Date.now() + REGISTRATION_LIMIT_MS, () => register(connection, namespace))
}

async function register(connection: NativeConnection, namespace: string): Promise<void> {
  await registerNamespace(connection, namespace)
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes))
  if (missing.length === 0) return
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD]))
  await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes })
    .catch(ignore(ALREADY_EXISTS))
}

async function registerNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  const isThere = await connection.workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  )
  if (isThere) return
  await connection.workflowService
    .registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: RETENTION_S as never } })
    .catch(ignore(ALREADY_EXISTS))
}

const ignore = (code: number) => (error: unknown) => {
  if ((error as { code?: number }).code !== code) throw error
}

/** Whether Temporal answers within the time. */
export async function isTemporalUp(client: Client, withinMs: number): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + withinMs, () => client.workflowService.getSystemInfo({}))
    return true
  } catch {
    return false
  }
}
