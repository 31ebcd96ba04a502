import { expect } from 'chai'
import { SEARCH_ATTRIBUTES as REGISTERED_AT_LAUNCH } from '../../../scripts/lib/temporal/launch.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contract.ts'
import { linesWith } from '../../support/running-parts.ts'
import { until, untilIs, untilThere } from '../../support/poll.ts'
import type { Json, TestWebhook } from '../../support/tenants.ts'
import { createTestWebhook, deliver, publishMany } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const FIELDS = { retry_schedule: [600], max_retries: 4 }

describe('the log of the worker', () => {
  const use = useStack('talkative')

  /** The log lines about the webhook, in order. */
  const linesOf = ({ id }: TestWebhook, message: string): Json[] =>
    use.stack.workers
      .flatMap((worker) => linesWith(worker, `"msg":"${message}"`))
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line))
  const lines = (webhook: TestWebhook, message: string, count: number): Promise<Json[]> =>
    until(
      () => linesOf(webhook, message),
      (found) => found.length >= count,
      { what: `${count} lines «${message}»` },
    )

  // decision: The worker's log of attempts
  it('tells of a failed attempt whose it was, which of how many, the answer, how long it took and what is next', async () => {
    const { webhook, shown } = await deliver(use, 'retrying', FIELDS, { status: 503 })
    const [line] = await lines(webhook, 'attempt failed', 1)
    const { time, ...facts } = line
    expect(Date.parse(time as string)).to.be.closeTo(Date.now(), 60_000)
    const { id, event_id, request_duration_ms: duration_ms, next_retry_at: next_attempt_at } = shown
    const whose = { delivery_id: id, webhook_id: webhook.id, company_id: use.tenant.tenant.companyId }
    const event = { event_id, event_type: 'contact.created', trigger: 'scheduled' }
    const result = { attempt: 1, max_attempts: 5, status: 503, error: null, duration_ms, next_attempt_at }
    const written = { level: 'info', service: 'worker', msg: 'attempt failed' }
    expect(facts).to.deep.equal({ ...written, ...whose, ...event, ...result })
    await webhook.retry(shown.id)
    const [, second] = await lines(webhook, 'attempt failed', 2)
    expect(second).to.include({ attempt: 2, max_attempts: 6, trigger: 'manual' })
  })

  it('names the code of an endpoint that was not reached, and tells once that a delivery ends as failed', async () => {
    const { webhook, shown } = await deliver(use, 'failed', { max_retries: 1 }, { reset: true })
    const [ended] = await lines(webhook, 'delivery failed', 1)
    const { id: delivery_id, event_id } = shown
    const whose = { delivery_id, event_id, company_id: use.tenant.tenant.companyId }
    const end = { event_type: 'contact.created', attempts: 2, max_attempts: 2, reason: 'attempts_used' }
    expect(ended).to.include({ level: 'info', ...whose, ...end })
    const failed = linesOf(webhook, 'attempt failed')
    const resets = Array(2).fill([null, 'connection_reset'])
    expect(failed.map(({ status, error }) => [status, error])).to.deep.equal(resets)
    expect(failed[1]).to.include({ attempt: 2, next_attempt_at: null })
    expect(linesOf(webhook, 'delivery failed')).to.have.length(1)
  })

  it('tells once that a webhook is deactivated, however many attempts are answered with 410', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    webhook.behave({ status: 410, delayMs: 300 })
    await publishMany(use.tenant, 4)
    await until(webhook.get, ({ is_active }) => is_active === false)
    const [line] = await lines(webhook, 'webhook deactivated', 1)
    expect(line).to.include({ level: 'info', company_id: use.tenant.tenant.companyId, reason: 'gone' })
    const [first] = await lines(webhook, 'attempt failed', 1)
    expect([first.status, first.next_attempt_at]).to.deep.equal([410, null])
    // The gate lets no further attempt begin. Each attempt on the wire gets 410, and is recorded.
    await untilIs(() => linesOf(webhook, 'attempt failed').length, webhook.requests().length)
    expect(linesOf(webhook, 'webhook deactivated')).to.have.length(1)
  })

  // decision: The worker's log of attempts
  it('tells of the deliveries that a deletion closes in one line, with their number', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [600] })
    webhook.behave({ status: 500 })
    await publishMany(use.tenant, 8)
    await untilThere(() => webhook.deliveries('?status=retrying'), 8)
    await webhook.remove()
    const [line] = await lines(webhook, 'deliveries failed', 1)
    expect(line).to.include({ level: 'info', company_id: use.tenant.tenant.companyId })
    expect(line).to.include({ reason: 'webhook_deleted', deliveries: 8 })
    expect(linesOf(webhook, 'delivery failed')).to.deep.equal([])
  })
})

/** This holds for the server that npm test launches. With TEMPORAL_ADDRESS that server needs the same configuration. */
describe('the Temporal server that the scripts launch', () => {
  const use = useStack('talkative')

  // decision: Delays under 1 s
  it('keeps a delay of 100 ms, and does not make a full second of it', async () => {
    /** The shortest gap between nine attempts. A busy machine makes a timer late, but never early. */
    const shortestGap = async (): Promise<number> => {
      const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 8 })
      webhook.behave({ status: 500 })
      await publishMany(use.tenant, 1)
      const { id } = await webhook.delivery('failed', { withinMs: 30_000 })
      const starts: number[] = (await webhook.detail(id)).attempt_log.map(({ started_at }: Json) =>
        Date.parse(started_at),
      )
      expect(starts).to.have.length(9)
      return Math.min(...starts.slice(1).map((startedMs, index) => startedMs - starts[index]!))
    }
    // Without that configuration the gap is 970 ms.
    expect(await until(shortestGap, (gapMs) => gapMs < 700)).to.be.at.least(90)
  })

  it('has the search attributes from its first moment', () =>
    expect(REGISTERED_AT_LAUNCH).to.have.members([...SEARCH_ATTRIBUTES]))

  it('gets a warning from the worker, which cannot know how the server is configured', () => {
    const warnings = linesWith(use.stack.workers[0]!, 'history.timerProcessorMaxTimeShift')
    expect(warnings).to.have.length(1)
  })
})
