import type { DeliveryView } from '../../src/domain/delivery/view.ts'
import { SIGNALS, TASK_QUEUE, WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
import { describeWorkflow } from './crashes.ts'
import type { Stack } from './use-stack.ts'

/** The environment of workers that make first attempts directly. */
export const DIRECT = { DELIVERY_FIRST_ATTEMPT: 'direct' }

/** The environment of workers that leave first attempts to workflows, even in a run with direct first attempts. */
export const BY_WORKFLOWS = { DELIVERY_FIRST_ATTEMPT: 'workflow' }

/** How each attempt of a delivery was made, in order. */
export const makersOf = (stack: Stack, deliveryId: string): Promise<(string | null)[]> =>
  stack.db('attempts').where({ delivery_id: deliveryId }).orderBy('number').pluck('made_by')

/** Whether Temporal has or had a workflow of the delivery. */
export const hasWorkflow = async (stack: Stack, deliveryId: string): Promise<boolean> =>
  (await describeWorkflow(stack, deliveryId)) !== undefined

type Signal = readonly [name: string, ...args: unknown[]]
const RESUME: Signal = [SIGNALS.resume]
const RETRY: Signal = [SIGNALS.retryNow, { retrySeq: 1 }]

/**
 * Does what a relay does after a direct attempt, then carries out a retry, while no worker has room for the workflow.
 * So both signals come before the workflow's first step, while its input says to wait for ten minutes.
 */
export const startAndRetry = (stack: Stack, id: string): Promise<void> =>
  startWith(stack, id, { retrySeq: 0, waitMs: 600_000, isParked: false }, [RESUME, RETRY])

/** Does the same for a retry of a parked delivery, and then activates its webhook. */
export const retryAndResume = (stack: Stack, id: string): Promise<void> =>
  startWith(stack, id, { retrySeq: 1, waitMs: 0, isParked: true }, [RETRY, RESUME])

async function startWith(
  stack: Stack,
  id: string,
  waiting: Pick<Extract<DeliveryView, { state: 'open' }>, 'retrySeq' | 'waitMs' | 'isParked'>,
  [[signal, ...signalArgs], then]: readonly [Signal, Signal],
): Promise<void> {
  const view: DeliveryView = { state: 'open', remaining: 3, ...waiting }
  const args = [{ deliveryId: id, view, startToCloseMs: 8_000 }]
  const options = { workflowId: id, taskQueue: TASK_QUEUE, signal, signalArgs, args }
  const run = await stack.temporal.workflow.signalWithStart(WORKFLOW_TYPES.deliverWebhook, options)
  await run.signal(...then)
  await stack.db('outbox').where({ subject_id: id }).delete()
}
