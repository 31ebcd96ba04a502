import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { revokeApiKey } from '../../../src/operations/key/change.ts'
import { rotateApiKey } from '../../../src/operations/key/rotate.ts'
import * as contract from '../../../src/workflows/contract.ts'
import { checkHistory } from '../../support/histories.ts'
import { deliveryWith, isSuccess, rowWith, workflowOf } from '../../support/crashes.ts'
import { becomeDue, holdInQueue } from '../../support/due-deliveries.ts'
import { stackDeps } from '../../support/database.ts'
import { useHeldDeliveries } from '../../support/stack-endpoints.ts'
import { usePart, useStack } from '../../support/use-stack.ts'
import { createTestWebhook, deliver, publishMany, type TestWebhook } from '../../support/tenants.ts'

type Sent = { readonly webhook: TestWebhook; readonly id: string }

/** Runs one workflow of each kind and replays its history at once. checkHistory says how to save the histories. */
describe('the history of a workflow replays under the code that made it', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0 })
  usePart(() => use.stack.startWorker({ WEBHOOK_CONCURRENCY: '1' }))
  const deliverHeld = useHeldDeliveries(use)

  const check = (kind: string, workflowId: string) => checkHistory(use.stack, kind, workflowId)
  const signalRetry = ({ id }: Sent) =>
    use.stack.temporal.workflow.getHandle(id).signal(contract.SIGNALS.retry)
  const retry = ({ webhook, id }: Sent) => webhook.retry(id)

  const BY_ANSWERS = [
    ['success', 'success', {}, {}],
    ['retry-then-success', 'success', { retry_schedule: [1] }, { failTimes: 1 }],
    ['exhausted', 'failed', { max_retries: 1, retry_schedule: [1] }, { status: 500 }],
  ] as const
  for (const [kind, status, fields, behaviour] of BY_ANSWERS)
    it(kind, async () => check(kind, (await deliver(use, status, fields, behaviour)).id))

  const IN_BACK_OFF: [string, (sent: Sent) => Promise<unknown>][] = [
    ['manual-retry-in-back-off', retry],
    ['signalled-retry-in-back-off', signalRetry],
    ['deleted-webhook', ({ webhook }) => webhook.remove()],
  ]
  for (const [kind, end] of IN_BACK_OFF)
    it(kind, async () => {
      const sent = await deliver(use, 'retrying', { retry_schedule: [600] }, { failTimes: 1 })
      await end(sent)
      await check(kind, sent.id)
    })

  const IN_FLIGHT: [string, (sent: Sent) => Promise<unknown>, Record<string, unknown>][] = [
    ['manual-retry-in-flight', retry, { retry_schedule: [600] }],
    // It was the last attempt.
    ['signalled-retry-in-flight', signalRetry, { max_retries: 0 }],
  ]
  for (const [kind, ask, fields] of IN_FLIGHT)
    it(kind, async () => {
      const sent = await deliverHeld(fields)
      await ask(sent)
      sent.endpoint.answer(1, 500)
      sent.endpoint.answerAll(200)
      await sent.webhook.delivery('success')
      await check(kind, sent.id)
    })

  it('parked-and-resumed', async () => {
    const behaviour = { failTimes: 1, status: 410 }
    const { webhook, id } = await deliver(use, 'retrying', { retry_schedule: [1] }, behaviour)
    await rowWith(use.stack, id, ({ parked_at }) => parked_at !== null)
    await webhook.change({ is_active: true })
    await webhook.delivery('success')
    await check('parked-and-resumed', id)
  })

  it('queued-for-a-slot', async () => {
    const { webhook, id: other } = await deliver(use, 'retrying', { retry_schedule: [600] }, { status: 500 })
    const [eventId = ''] = await publishMany(use.tenant, 1)
    const { id } = await deliveryWith(use.stack, eventId, ({ attempts }) => attempts === 1)
    webhook.behave({ delayMs: 1_500 })
    await becomeDue(use.stack, [other])
    await use.stack.receiver.waitFor(webhook.path, 3)
    await becomeDue(use.stack, [id])
    await (await holdInQueue(use.stack, id)).letGo()
    await deliveryWith(use.stack, eventId, isSuccess)
    await check('queued-for-a-slot', id)
  })

  it('recovery', async () => {
    const { webhook } = await deliver(use, 'failed', { max_retries: 0 }, { failTimes: 1 })
    const { id } = (await webhook.recover()).body.data
    await webhook.delivery('success')
    await check('recovery', contract.recoveryWorkflowId(id))
  })

  it('test-event', async () => {
    const { body } = await (await createTestWebhook(use.stack, use.tenant)).test()
    await check('test-event', contract.testWorkflowId(body.data.delivery_id))
  })

  for (const [kind, grace] of [
    ['key-rotation', '1h'],
    ['key-rotation-revoked', '6h'],
  ] as const)
    it(kind, async () => {
      const { keyId, tenant: owner } = use.tenant
      const deps = stackDeps(use.stack, { KEY_ROTATION_GRACES: '1h=1s,6h=5m' })
      await rotateApiKey(deps, owner.companyId, COMMAND_LINE, keyId, { grace })
      await workflowOf(use.stack, contract.keyRotationWorkflowId(keyId))
      if (grace === '6h') await revokeApiKey(deps, owner.companyId, COMMAND_LINE, keyId)
      await check(kind, contract.keyRotationWorkflowId(keyId))
    })
})
