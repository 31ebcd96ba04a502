import { randomBytes } from 'node:crypto'
import type { Connection } from '@temporalio/client'
import { until } from './poll.ts'

const RETENTION = { seconds: 86_400 as never }

let prepared: Promise<string | undefined> | undefined

/**
 * Gives a new namespace. Temporal needs seconds until all of it knows one, so the next one is prepared meanwhile: a stack
 * that waited for its worker's own would start that much later.
 */
export async function takeNamespace(connection: Connection): Promise<string> {
  const taken = (await prepared) ?? (await prepare(connection))
  // The connection may be closed before the next one is there.
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
