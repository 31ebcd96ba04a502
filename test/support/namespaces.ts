import { randomBytes } from 'node:crypto'
import type { Connection } from '@temporalio/client'
import { until } from './poll.ts'

const RETENTION = { seconds: 86_400 as never }

let prepared: Promise<string | undefined> | undefined

/**
 * Returns a new namespace. All parts of Temporal know a namespace only after seconds. So this function prepares the
 * next namespace ahead, and a stack need not wait.
 */
export async function takeNamespace(connection: Connection): Promise<string> {
  const taken = (await prepared) ?? (await prepare(connection))
  // The connection may close before the next namespace is ready.
  prepared = prepare(connection).catch(() => undefined)
  return taken
}

async function prepare({ workflowService, operatorService }: Connection): Promise<string> {
  const namespace = `t-${randomBytes(6).toString('hex')}`
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: RETENTION })
  const isKnown = () =>
    operatorService.listSearchAttributes({ namespace }).then(
      () => true,
      () => false,
    )
  await until(isKnown, (known) => known, { what: 'the namespace' })
  return namespace
}
