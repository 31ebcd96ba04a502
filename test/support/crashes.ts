import { randomUUID } from 'node:crypto'
import type { WorkflowExecutionDescription } from '@temporalio/client'
import { until, untilThere } from './poll.ts'
import type { RunningProcess } from './processes.ts'
import type { Stack } from './use-stack.ts'
import type { Json, TestTenant } from './tenants.ts'

/** A killed worker's leases and activities end after 6 s, not 30 s. A busy endpoint may need a second. */
export const QUICK_LEASES = { WEBHOOK_TIMEOUT: '3s', RECORDING_TIMEOUT: '3s' }

/**
 * The longest time until other workers take over from a killed worker. Its lease and activity must end (QUICK_LEASES),
 * or Temporal's 10 s for a workflow task; add a poll, backoff and a busy machine.
 */
export const TAKE_OVER_MS = 40_000

/** Ends the process the way a power cut does. */
export async function kill(process: RunningProcess): Promise<void> {
  await process.stop('SIGKILL')
}

/** Publishes one event with the caller's id, and returns the answer. */
export const publish = (tenant: TestTenant, id: string) =>
  tenant.request('POST', '/api-v1-events', { id, event: 'contact.created', data: { name: 'Ada' } })

/** Makes a new event id. */
export const newEventId = () => `evt_${randomUUID()}`

/** Whether a delivery arrived; a condition for `deliveryWith`. */
export const isSuccess = ({ status }: { readonly status: string }) => status === 'success'

/** Returns the only delivery of an event once it exists. */
export async function deliveryOf(stack: Stack, eventId: string): Promise<Json> {
  const rows = () => stack.db('deliveries').where({ event_id: eventId }) as Promise<Json[]>
  return (await untilThere(rows, 1, { what: 'one delivery of the event' }))[0]
}

/** Returns the only delivery of an event once its row is as wanted. */
export const deliveryWith = (
  stack: Stack,
  eventId: string,
  isWanted: (row: Json) => boolean,
  withinMs = TAKE_OVER_MS,
): Promise<Json> =>
  until(() => deliveryOf(stack, eventId), isWanted, { withinMs, what: `the wanted row of ${eventId}` })

/** Returns the row of a delivery once it is as wanted. */
export const rowWith = (stack: Stack, id: string, isWanted: (row: Json) => boolean): Promise<Json> =>
  until(() => stack.db('deliveries').where({ id }).first() as Promise<Json>, isWanted, {
    what: `the wanted row of ${id}`,
  })

/** Returns Temporal's description of a delivery's workflow, or undefined without a workflow. */
export const describeWorkflow = ({ temporal }: Stack, deliveryId: string) => {
  const handle = temporal.workflow.getHandle(deliveryId)
  return handle.describe().catch(() => undefined)
}

/** Returns the workflow of a delivery once Temporal has it. `isWanted` accepts any by default. */
export function workflowOf(
  stack: Stack,
  deliveryId: string,
  isWanted: (description: WorkflowExecutionDescription) => boolean = () => true,
): Promise<WorkflowExecutionDescription | undefined> {
  return until(
    () => describeWorkflow(stack, deliveryId),
    (found) => found !== undefined && isWanted(found),
    {
      withinMs: TAKE_OVER_MS,
      what: `the workflow of ${deliveryId}`,
    },
  )
}

/** Returns the outbox rows of a target once there are `count` of them. */
export const outboxRows = (stack: Stack, targetId: string, count: number): Promise<readonly Json[]> =>
  untilThere(() => stack.db('outbox').where({ subject_id: targetId }) as Promise<Json[]>, count, {
    withinMs: TAKE_OVER_MS,
    what: `${count} outbox rows of ${targetId}`,
  })

/** The current details of a workflow in Temporal's UI. This uses the UI's own query, which a worker answers. */
export async function currentDetails({ temporal }: Stack, workflowId: string): Promise<string> {
  const handle = temporal.workflow.getHandle(workflowId)
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  return metadata.currentDetails ?? ''
}
