import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { revokeApiKey } from '../../../src/operations/key/change.ts'
import { rotateApiKey } from '../../../src/operations/key/rotate.ts'
import {
  keyRotationWorkflowId,
  recoveryWorkflowId,
  SIGNALS,
  testWorkflowId,
} from '../../../src/workflows/contract.ts'
import { checkHistory } from '../../support/check-history.ts'
import { deliveryWith, isSuccess, newEventId, publish, workflowOf } from '../../support/crashes.ts'
import { becomeDue, holdInQueue } from '../../support/due-deliveries.ts'
import { stackDeps } from '../../support/deps.ts'
import { startHeldEndpoint } from '../../support/held-endpoint.ts'
import { until } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import type { Stack } from '../../support/stack.ts'
import { createTestTenant, type TestTenant } from '../../support/tenants.ts'
import { usePart } from '../../support/use-part.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/webhooks.ts'

/** Lives one workflow of each kind and replays its history at once; checkHistory says how to save them. */
describe('the history of a workflow replays under the code that made it', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0 })
  usePart(() => use.stack.startWorker({ WEBHOOK_CONCURRENCY: '1' }))
  const endpoints = useEndpointsOn(use)
  let stack: Stack
  let tenant: TestTenant
  let eventId: string
  beforeEach(() => {
    ;({ stack, tenant } = use)
    eventId = newEventId()
  })

  const check = (kind: string, workflowId: string) => checkHistory(stack, kind, workflowId)
  const published = async (isWanted: (row: { attempts: number; status: string }) => boolean) => {
    await publish(tenant, eventId)
    return (await deliveryWith(stack, eventId, isWanted)) as { id: string }
  }
  const hasFailedOnce = ({ attempts }: { attempts: number }) => attempts === 1
  /** A delivery whose first attempt waits for the test; `fail` ends it, and the next one succeeds. */
  const onTheWire = async (fields: object) => {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(stack, tenant, { url: endpoint.url, ...fields })
    await publish(tenant, eventId)
    await endpoint.arrived(1)
    const { id } = (await deliveryWith(stack, eventId, () => true)) as { id: string }
    const fail = () => {
      endpoint.answer(1, 500)
      endpoint.answerAll(200)
    }
    return { id, webhook, fail }
  }

  it('success', async () => {
    await createTestWebhook(stack, tenant)
    await check('success', (await published(isSuccess)).id)
  })

  it('a retry, then success', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [1] })
    stack.receiver.behave(webhook.path, { failTimes: 1 })
    await check('retry-then-success', (await published(isSuccess)).id)
  })

  it('exhausted', async () => {
    const webhook = await createTestWebhook(stack, tenant, { max_retries: 1, retry_schedule: [1] })
    stack.receiver.behave(webhook.path, { status: 500 })
    await check('exhausted', (await published(({ status }) => status === 'failed')).id)
  })

  it('a manual retry during the back-off', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
    stack.receiver.behave(webhook.path, { failTimes: 1 })
    const { id } = await published(hasFailedOnce)
    await webhook.retry(id)
    await deliveryWith(stack, eventId, isSuccess)
    await check('manual-retry-in-back-off', id)
  })

  it('a manual retry while an attempt is on the wire', async () => {
    const { id, webhook, fail } = await onTheWire({ retry_schedule: [600] })
    await webhook.retry(id)
    fail()
    await deliveryWith(stack, eventId, isSuccess)
    await check('manual-retry-in-flight', id)
  })

  it('a retry that a signal asks for during the back-off', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
    stack.receiver.behave(webhook.path, { failTimes: 1 })
    const { id } = await published(hasFailedOnce)
    await stack.temporal.workflow.getHandle(id).signal(SIGNALS.retry)
    await deliveryWith(stack, eventId, isSuccess)
    await check('signalled-retry-in-back-off', id)
  })

  it('a retry that a signal asks for while the last attempt is on the wire', async () => {
    const { id, fail } = await onTheWire({ max_retries: 0 })
    await stack.temporal.workflow.getHandle(id).signal(SIGNALS.retry)
    fail()
    await deliveryWith(stack, eventId, isSuccess)
    await check('signalled-retry-in-flight', id)
  })

  it('a webhook deleted during the back-off', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
    stack.receiver.behave(webhook.path, { status: 500 })
    const { id } = await published(hasFailedOnce)
    await webhook.remove()
    await check('deleted-webhook', id)
  })

  it('parked and resumed', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [1] })
    stack.receiver.behave(webhook.path, { failTimes: 1, status: 410 })
    await publish(tenant, eventId)
    const { id } = (await deliveryWith(stack, eventId, ({ parked_at }) => parked_at !== null)) as {
      id: string
    }
    await webhook.change({ is_active: true })
    await deliveryWith(stack, eventId, isSuccess)
    await check('parked-and-resumed', id)
  })

  it('queued until a slot is free', async () => {
    const webhook = await createTestWebhook(stack, tenant, { retry_schedule: [600] })
    stack.receiver.behave(webhook.path, { status: 500 })
    const otherEventId = newEventId()
    const { id: other } = await published(hasFailedOnce)
    await publish(tenant, otherEventId)
    const { id } = (await deliveryWith(stack, otherEventId, hasFailedOnce)) as { id: string }
    stack.receiver.behave(webhook.path, { delayMs: 1_500 })
    await becomeDue(stack, [other])
    await stack.receiver.waitFor(webhook.path, 3)
    await becomeDue(stack, [id])
    await (await holdInQueue(stack, id)).letGo()
    await deliveryWith(stack, otherEventId, isSuccess)
    await check('queued-for-a-slot', id)
  })

  it('a recovery', async () => {
    const webhook = await createTestWebhook(stack, tenant, { max_retries: 0 })
    stack.receiver.behave(webhook.path, { failTimes: 1 })
    await published(({ status }) => status === 'failed')
    const answer = await tenant.request('POST', `/api-v1-webhooks/${webhook.id}/recover`, {
      since: '2020-01-01T00:00:00Z',
    })
    await deliveryWith(stack, eventId, isSuccess)
    await check('recovery', recoveryWorkflowId(answer.body.data.id as string))
  })

  it('a test event', async () => {
    const webhook = await createTestWebhook(stack, tenant)
    const answer = await tenant.request('POST', `/api-v1-webhooks/${webhook.id}/test`)
    await check('test-event', testWorkflowId(answer.body.data.delivery_id as string))
  })

  const rotated = async (grace: '1h' | '6h') => {
    const { keyId, tenant: owner } = await createTestTenant(stack.db, stack.api.url)
    const deps = stackDeps(stack, { KEY_ROTATION_GRACES: '1h=1s,6h=5m' })
    await rotateApiKey(deps, owner.companyId, COMMAND_LINE, keyId, { grace })
    return { keyId, revoke: () => revokeApiKey(deps, owner.companyId, COMMAND_LINE, keyId) }
  }

  it('the timer of a rotated key that is revoked', async () => {
    const { keyId, revoke } = await rotated('6h')
    await workflowOf(stack, keyRotationWorkflowId(keyId))
    await revoke()
    await check('key-rotation-revoked', keyRotationWorkflowId(keyId))
  })

  it('the timer of a rotated key', async () => {
    const { keyId } = await rotated('1h')
    await until(
      () => stack.db('api_keys').where({ id: keyId }).first(),
      (row: { expiry_recorded_at: Date | null }) => row.expiry_recorded_at !== null,
    )
    await check('key-rotation', keyRotationWorkflowId(keyId))
  })
})
