import { expect } from 'chai'
import { run } from '../../../src/db/connection/statements.ts'
import { attemptRows } from '../../../src/db/delivery/attempts.ts'
import { commandsOn } from '../../support/operator-commands.ts'
import type { Json } from '../../support/tenants.ts'
import { refusalOf, useOperations } from '../../support/use-operations.ts'
import { words } from '../../support/words.ts'

describe('the commands for deliveries', () => {
  const its = useOperations()
  const { tenant } = its
  const { cli, usageError } = commandsOn(its)
  const day = (number: number) => new Date(Date.UTC(2026, 0, number))
  const inCompany = (text: string) => cli(`delivery list --company ${tenant().companyId} ${text}`)
  const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

  it('show only what was not delivered, and why, with --undelivered', async () => {
    const id = await its.newWebhook()
    const inactive = await its.newWebhook({ isActive: false })
    await its.setHealth(id, { probeAt: day(9) })
    const failed = { status: 'failed' as const, attempts: 5 }
    const used = { response_code: 503, closed_reason: 'attempts_used' } as const
    await its.insertOpen(id, { ...failed, ...used, created_at: day(1) })
    await its.insertOpen(id, { ...failed, attempts: 0, closed_reason: 'test_unanswered', created_at: day(2) })
    await its.insertOpen(id, { attempts: 1, response_code: 500, created_at: day(3) })
    await its.insertOpen(id, { status: 'pending', created_at: day(4) })
    await its.insertOpen(inactive, { attempts: 2, response_code: 500, created_at: day(5) })
    await its.insertOpen(id, { status: 'success', attempts: 1, response_code: 200, created_at: day(6) })
    const { data } = await inCompany('--undelivered')
    const reasons = words('webhook_inactive endpoint_failing http_500 test_unanswered http_503')
    expect(data.map(({ why }: Json) => why)).to.deep.equal(reasons)
    expect(data[0]).to.include({ held_reason: 'webhook_inactive', last_result: 'http_500' })
    expect((await inCompany('--status success,failed')).data).to.have.length(3)
    expect((await inCompany('--undelivered --env test')).data).to.deep.equal([])
  })

  it('show only what their filters let through, and tell a cursor of other filters', async () => {
    const id = await its.newWebhook()
    const [old] = await its.insertOpen(id, { event_type: 'deal.created', created_at: day(1) })
    const [sent] = await its.insertOpen(id, { event_id: 'evt_sent', response_code: 204, created_at: day(2) })
    const [down] = await its.insertOpen(id, { response_code: 503, created_at: day(3) })
    const cases: [string, (string | undefined)[]][] = [
      ['--event-type deal.created', [old]],
      ['--event-id evt_sent', [sent]],
      [`--delivery-id ${sent}`, [sent]],
      ['--response 5xx', [down]],
      ['--response none', [old]],
      [`--q ${sent}`, [sent]],
      ['--q EXAMPLE.com --since 2026-01-01', [down, sent, old]],
      ['--record con_1 --env live', []],
      ['--since 2026-01-02', [down, sent]],
      ['--until 2026-01-03T00:00:00Z', [sent, old]],
    ]
    for (const [text, ids] of cases) expect(idsOf(await inCompany(text)), text).to.deep.equal(ids)
    const { data, pagination } = await inCompany('--limit 2')
    const rest = await inCompany(`--cursor ${pagination.next_cursor}`)
    expect(idsOf({ data: [...data, ...rest.data] })).to.deep.equal([down, sent, old])
    const other = inCompany(`--response 5xx --cursor ${pagination.next_cursor}`)
    expect(await refusalOf(other)).to.match(/^VALIDATION_ERROR: The cursor is not one of this list/)
    expect((await inCompany('--q none')).search).to.include({ examined: 0, complete: true })
  })

  it('show one with its company, payload and attempts', async () => {
    const webhookId = await its.newWebhook()
    const company = `--company ${tenant().companyId}`
    const event = await cli(`event publish ${company} --type contact.created --data {"name":"Ann"}`)
    const [id] = idsOf(await cli(`delivery list --webhook ${webhookId}`))
    await its.set('deliveries', { id }, { attempts: 1, status: 'retrying' })
    const attempt = { number: 1, startedAt: day(1), durationMs: 5, responseCode: null, responseBody: null }
    const steps = { dnsMs: 5, connectMs: null, tlsMs: null, firstByteMs: null }
    const unanswered = { error: 'dns_error', location: null, responseHeaders: null, steps }
    const more = { ...unanswered, trigger: 'scheduled', madeBy: 'worker' } as const
    await run(its.db, attemptRows([{ deliveryId: id!, attempt: { ...attempt, ...more } }]))
    const shown = await cli(`delivery show --id ${id}`)
    expect(shown).to.include({ company_id: tenant().companyId, environment: 'live', why: 'dns_error' })
    expect(shown.payload.data).to.deep.equal({ name: 'Ann' })
    expect(shown.attempt_log[0]).to.include({ error: 'dns_error', dns_ms: 5, response_headers_cut: false })
    const whole = await cli(`event show ${company} --id ${event.id}`)
    expect(whole).to.include({ id: event.id, event: 'contact.created', environment: 'live' })
    expect(whole.deliveries[0]).to.include({ id, why: 'dns_error' })
    const refusal = 'NOT_FOUND: Event not found.'
    expect(await refusalOf(cli(`event show ${company} --id evt_none`))).to.equal(refusal)
  })

  it('retry one that failed, and send one again that arrived, and neither the other way round', async () => {
    const webhookId = await its.newWebhook()
    await its.publish()
    const [id] = idsOf(await cli(`delivery list --webhook ${webhookId}`))
    const ask = (verb: string) => cli(`delivery ${verb} --id ${id}`)
    expect(await refusalOf(ask('resend'))).to.match(/^INVALID_REQUEST/)
    await its.set('deliveries', { id }, { status: 'failed', attempts: 5, closed_reason: 'attempts_used' })
    expect(await ask('retry')).to.deep.equal({ success: true, message: 'Delivery queued for retry' })
    expect(await its.queued()).to.deep.equal(['start', 'retry'])
    expect(await ask('show')).to.include({ status: 'retrying' })
    await its.set('deliveries', { id }, { status: 'success' })
    expect(await refusalOf(ask('retry'))).to.match(/^INVALID_REQUEST/)
    expect(await ask('resend')).to.include({ status: 'pending', resend_of: id })
  })

  // decision: Wrong usage and wrong values
  it('take a wrong filter for wrong usage', async () => {
    const company = `--company ${tenant().companyId}`
    for (const [text, sentence] of [
      ['', /^Give either --company or --webhook\.$/],
      ['--webhook whk_1 --env live', /^--env goes with --company/],
      [`${company} --webhook whk_1`, /^Give either --company or --webhook\.$/],
      [`${company} --env prod`, /^--env must be one of live, test\.$/],
      [`${company} --q ab`, /^--q must have at least 3 characters\.$/],
      [`${company} --record con_1`, /^--record needs --env or --webhook/],
      [`${company} --status failed,lost`, /^--status must be one or more of/],
      [`${company} --undelivered --status failed`, /^Give either --status/],
      [`${company} --response 6xx`, /^--response must be one of 2xx, /],
      [`${company} --event-type a`, /^--event-type must be one of /],
      [`${company} --event-id del_1`, /^--event-id must be evt_…\.$/],
      [`${company} --delivery-id evt_1`, /^--delivery-id must be del_…\.$/],
      [`${company} --since today`, /^--since must be an ISO 8601 date or time/],
      [`${company} --since 2026-01-02 --until 2026-01-01`, /^--until is earlier than --since\.$/],
      ...words('0 101 ten 1e1').map(
        (limit) => [`${company} --limit ${limit}`, /^--limit must be a number from 1 to 100\.$/] as const,
      ),
    ] as const)
      expect(await usageError(`delivery list ${text}`), text).to.match(sentence)
  })
})
