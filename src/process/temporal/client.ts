import { Client, Connection } from '@temporalio/client'
import type { Config } from '../../config/index.ts'

/** The client of the api: it connects when first used, so the api boots and serves without Temporal. */
export function lazyTemporalClient({ temporal }: Config): Client {
  const connection = Connection.lazy(temporal.connectionOptions)
  return new Client({ connection, namespace: temporal.namespace })
}

/** The version of Temporal's server; undefined when it does not answer within the time. */
export async function readServerVersion(client: Client, withinMs: number): Promise<string | undefined> {
  try {
    const info = await client.withDeadline(Date.now() + withinMs, () =>
      client.workflowService.getSystemInfo({}),
    )
    return info.serverVersion
  } catch {
    return undefined
  }
}
