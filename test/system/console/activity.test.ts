import { expect } from 'chai'
import { addToHours } from '../../../src/db/webhook/hourly-stats.ts'
import { changeHealth } from '../../../src/db/webhook/health-rows.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { floorTo, HOUR_MS } from '../../../src/domain/instants.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { makeWebhook, useConsole, type ConsoleClient } from '../../support/console.ts'
import type { Json } from '../../support/tenants.ts'

describe('the activity of webhooks in the console', () => {
  const its = useConsole()

  const create = async (client: ConsoleClient) => (await makeWebhook(its, client)).id
  /** Makes that many attempts of the present hour with this status. */
  const attempted = async (webhookId: string, status: number, attempts: number) => {
    const { db } = its.stack
    let figures = NO_FIGURES
    const outcome = { kind: 'answered', status, body: '', retryAfter: undefined, durationMs: 30 } as const
    for (let made = 0; made < attempts; made++) figures = withAttempt(figures, outcome)
    await addToHours(db, 1, [{ webhookId, startsAt: floorTo(await databaseNow(db), HOUR_MS), figures }])
  }

  // decision: Activity of webhooks
  it('is that of the last 24 hours: of each webhook of a list, and of all together', async () => {
    const { client } = await its.person('member')
    const { client: admin } = await its.person()
    const [busy, silent] = [await create(admin), await create(admin)]
    await attempted(busy, 200, 3)
    await attempted(busy, 500, 1)
    const failing = { ...HEALTHY, consecutiveFailures: 1, failingSince: new Date(0) }
    await changeHealth(its.stack.db, busy, () => failing)
    const { body } = await client.call('GET', `/activity/webhooks?ids=${silent},${busy}`)
    const none = { attempts: 0, successes: 0, failures: 0, p95_ms: null }
    const some = { attempts: 4, successes: 3, failures: 1, p95_ms: 50 }
    expect(body.data.map(({ series, ...counts }: Json) => counts)).to.deep.equal([
      { webhook_id: silent, health: { state: 'healthy', waiting: 0 }, ...none },
      { webhook_id: busy, health: { state: 'failing', waiting: 0 }, ...some },
    ])
    expect(body.data.map(({ series }: Json) => series.length)).to.deep.equal([24, 24])
    expect(body.data[1].series.at(-1)).to.include({ attempts: 4, failures: 1 })
    const all = (await client.call('GET', '/activity?window=7d')).body.data
    expect(all.totals).to.include({ attempts: 4, successes: 3, p95_ms: 50 })
    expect(all.series).to.have.length(7)
  })
})

describe('the check of a webhook that is being typed', () => {
  const its = useConsole()

  // decision: Checks while typing
  it('names every field that would be refused, with the reason, and changes nothing', async () => {
    const { client } = await its.person()
    const check = async (body: object) =>
      (await client.call('POST', '/webhook-check', body)).body.data.faults as Record<string, string>
    expect(await check({ url: 'https://hooks.example.com/a', headers: { 'x-a': '1' } })).to.deep.equal({})
    expect(await check({ url: 'http://hooks.example.com/' })).to.deep.equal({
      url: 'The URL must use the HTTPS protocol.',
    })
    const both = await check({ url: 'https://10.0.0.1/', headers: { Host: 'a' } })
    expect(both['url']).to.equal('The URL must point to a public address.')
    expect(both['headers']).to.match(/reserved/)
    expect((await client.call('GET', '/webhooks')).body.data).to.deep.equal([])
  })
})
