// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { stackDeps } from '../../support/database.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { until, untilAtLeast, untilThere } from '../../support/poll.ts'
import { type Json, createTestWebhook, publishMany, type TestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

/** Attempts under way when the endpoint is found to fail: its slots, and rows that were already claimed. */
const UNDER_WAY = 20

describe('an endpoint that fails', function () {
  this.timeout(90_000)
  // Its leader looks every second, not every minute.
  const use = useStack({ environment: { RECONCILE_AFTER: '1s' } })
  afterEach(() => expectSoundRowsOf(use))

  const requestsTo = ({ path }: TestWebhook) => use.stack.receiver.requestsTo(path).length
  const rowsOf = ({ id }: TestWebhook, status: string) =>
    use.stack.db('deliveries').where({ webhook_id: id, status }).pluck('id')
  const healthOf = ({ id }: TestWebhook) => use.stack.db('webhook_health').where({ webhook_id: id }).first()
  const heldReasons = async (webhook: TestWebhook) =>
    new Set((await webhook.deliveries('?status=pending&limit=100')).map((one: Json) => one.held_reason))

  // decision: Endpoints that fail
  it('gets one first attempt at a time, shows the others as held, and all of them soon after it answers again', async () => {
    // Only first attempts and probes are sent during the test.
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [3_600] })
    webhook.behave({ status: 500 })
    await publishMany(use.tenant, 60)
    // A probe goes out 1 s after the previous attempt.
    await untilAtLeast(async () => (await healthOf(webhook))?.failed_probes ?? 0, 1, { withinMs: 40_000 })
    expect(requestsTo(webhook)).to.be.within(20, 20 + UNDER_WAY)
    expect(await heldReasons(webhook)).to.deep.equal(new Set(['endpoint_failing']))
    // The service tells an operator why the deliveries do not arrive.
    const cli = (...args: string[]) => runCommand(stackDeps(use.stack), ...args)
    const named = async (): Promise<Json[]> => (await cli('notice', 'list', '--kind', 'webhook_failing')).data
    const [notice, ...others] = await until(named, ({ length }) => length > 0, { withinMs: 60_000 })
    expect([notice.webhook_id, others]).to.deep.equal([webhook.id, []])
    const undelivered = ['delivery', 'list', '--webhook', webhook.id, '--undelivered', '--limit', '100']
    const { data: waiting } = await cli(...undelivered)
    expect(waiting).to.have.length(60)
    for (const { why } of waiting)
      expect(why).to.be.oneOf(['http_500', 'endpoint_failing', 'first_attempt_due'])
    const { health } = await cli('webhook', 'show', '--id', webhook.id)
    expect(health).to.include({ state: 'failing', last_error: 'http_500', first_attempts_held: true })

    webhook.behave({})
    const failed = (await rowsOf(webhook, 'retrying')).length
    await untilThere(() => rowsOf(webhook, 'pending'), 0, { withinMs: 60_000 })
    // A probe may have been under way when the endpoint recovered.
    expect((await rowsOf(webhook, 'retrying')).length).to.be.within(failed, failed + 1)
    expect(await healthOf(webhook)).to.include({ consecutive_failures: 0, probe_at: null })
  })
})
