import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { EventType, Key, Notice, Webhook, WebhookActivity } from '../../../web/src/common/api/wire.ts'
import { byFamily } from '../../../web/src/webhooks/event-families.ts'
import { parseSchedule, planInWords, retryPlan, scheduleText } from '../../../web/src/webhooks/retry-plan.ts'
import { VERIFY_SNIPPETS } from '../../../web/src/webhooks/verify-snippets.ts'
import { bodyOf, faultsOf, formOf, NEW_WEBHOOK } from '../../../web/src/webhooks/webhook-form.ts'
import * as merge from '../../../web/src/webhooks/webhook-merge.ts'
import { durationScale, linearScale, shortCount } from '../../../web/src/common/chart/scale.ts'
import { windowOf } from '../../../web/src/common/chart/series.ts'
import { countedFirst, worstFirst } from '../../../web/src/overview/worst-first.ts'
import { isDegraded } from '../../../web/src/webhooks/rate-tone.ts'
import * as bars from '../../../web/src/webhooks/attempt-bars.ts'
import { EVENT_TYPES } from '../../../src/domain/event/catalog.ts'
import { NOTICE_KINDS as ALL_KINDS, TENANT_NOTICES } from '../../../src/domain/notice/notice.ts'
import { NOTICE_KINDS, placeOf } from '../../../web/src/notices/notice-kinds.ts'
import { firstStepsOf } from '../../../web/src/overview/first-steps.ts'
import type { PageOf } from '../../../web/src/common/api/paging.ts'
import { keyConcerns, webhookConcerns } from '../../../web/src/overview/attention.ts'

const SETTINGS = { events: ['contact.created', 'contact.updated'], headers: { 'x-a': null }, max_retries: 5 }
const NAMED = { name: 'Hook', description: null, url: 'https://example.com/', is_active: true }
const SHOWN = { ...NAMED, ...SETTINGS, deactivated_reason: null } as unknown as Webhook

describe('the retry schedule in words', () => {
  it('repeats the last delay, says when a delivery is given up, reads what it writes, and refuses what is no delay', () => {
    const plan = retryPlan([5, 300], 3)
    expect(plan.map(({ afterSeconds }) => afterSeconds)).to.deep.equal([5, 300, 300])
    expect(planInWords(plan)).to.equal(
      'Up to 4 attempts: retried after 5 s, then 5 min (2 times). Given up about 10 min 5 s after the first attempt.',
    )
    expect(planInWords(retryPlan([5], 0))).to.include('no retry')
    const schedule = [5, 90, 300, 7_200, 86_400]
    expect(scheduleText(schedule)).to.equal('5s, 90s, 5m, 2h, 1d')
    expect(parseSchedule(scheduleText(schedule))).to.deep.equal(schedule)
    for (const text of ['', 'soon', '5s, soon', '-5']) expect(parseSchedule(text), text).to.equal(undefined)
  })
})

describe('the form of a webhook', () => {
  it('sends only the fields that differ, none that nobody touched, and asks for an event, and for headers with different names', () => {
    expect(merge.changesTo(SHOWN, bodyOf(formOf(SHOWN)))).to.deep.equal({})
    const changed = { name: 'People', schedule: '5s, 1h', events: SHOWN.events.toReversed() }
    const form = { ...formOf(SHOWN), ...changed }
    expect(merge.changesTo(SHOWN, bodyOf(form))).to.deep.equal({ name: 'People', retry_schedule: [5, 3_600] })
    expect(Object.keys(faultsOf(NEW_WEBHOOK))).to.deep.equal(['events'])
    const rows = ['X-A', 'x-a'].map((name, id) => ({ id, name, value: '1' }))
    expect(faultsOf({ ...formOf(SHOWN), headers: rows })).to.have.key('headers')
  })

  it('keeps a hidden value of a header, and asks for one where the header has another name', () => {
    const [stored] = formOf(SHOWN).headers
    const added = { id: 1, name: 'x-b', value: 'c' }
    const form = { ...formOf(SHOWN), headers: [stored!, added] }
    const mine = merge.changesTo(SHOWN, bodyOf(form))
    expect(mine).to.deep.equal({ headers: { 'x-a': null, 'x-b': 'c' } })
    expect(merge.differences(SHOWN, mine, SHOWN)).to.deep.equal([])
    const replaced = { headers: { 'x-a': 'other' } }
    const [difference] = merge.differences(SHOWN, replaced, SHOWN)
    expect(merge.settingText(difference?.mine)).to.equal('x-a (new value)')
    expect(faultsOf({ ...form, headers: [{ ...stored!, name: 'x-other' }] })).to.have.key('headers')
  })

  it('compares what somebody else saved meanwhile with its own changes', () => {
    const theirs = { ...SHOWN, name: 'Theirs', max_retries: 9, url: 'https://same.example.com' }
    const mine = { name: 'Mine', url: 'https://same.example.com' }
    const name = { field: 'name', name: 'Name', theirs: 'Theirs', mine: 'Mine' }
    const retries = { field: 'max_retries', name: 'Retries', theirs: 9 }
    expect(merge.differences(SHOWN, mine, theirs)).to.deep.equal([name, retries])
    expect(merge.withoutFields(mine, ['name'])).to.deep.equal({ url: 'https://same.example.com' })
  })

  it('shows the catalog by family, as far as the search allows', () => {
    const catalog = EVENT_TYPES.map((name) => ({ name, family: name.split('.')[0]! }) as EventType)
    const found = byFamily(catalog, ' DEAL ').map(([family, types]) => `${family} ${types.length}`)
    expect(found).to.deep.equal(['deal 4'])
  })
})

describe('the programs that come with a secret', () => {
  const key = Buffer.from('a secret of twenty-four.')
  const secret = `whsec_${key.toString('base64')}`
  const program = (name: string) => VERIFY_SNIPPETS.find((snippet) => snippet.name === name)!.text(secret)
  const body = '{"id":"evt_1"}'
  // Sign as each test begins, not when this file loads, because the programs refuse requests older than five minutes.
  let timestamp = ''
  let mac = ''
  beforeEach(() => {
    timestamp = String(Math.floor(Date.now() / 1_000))
    mac = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')
  })

  for (const [name, bytes, ...command] of [
    ['Node', `Buffer.from(${JSON.stringify(body)})`, process.execPath, '--input-type=module', '-e'],
    ['Python', `${JSON.stringify(body)}.encode()`, 'python3', '-c'],
  ] as [string, string, string, ...string[]][])
    it(`accept our signature and refuse another: ${name}`, () => {
      const verify = (signature: string) => () => {
        const signed = { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
        const call = `verify(${JSON.stringify({ 'webhook-id': 'evt_1', ...signed })}, ${bytes})`
        execFileSync(command[0], [...command.slice(1), `${program(name)}\n${call}`], { stdio: 'pipe' })
      }
      expect(verify(mac)).not.to.throw()
      expect(verify(mac.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')))).to.throw(/wrong signature/)
    })

  it('give our signature: openssl', () => {
    const script = program('openssl')
      .replace("ID='evt_…' TIMESTAMP='…'", `ID='evt_1' TIMESTAMP='${timestamp}'`)
      .replace('cat body', `printf %s '${body}'`)
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim()).to.equal(mac)
  })
})

const at = (hour: number, attempts: number, failures: number) => {
  return { starts_at: `2026-01-15T0${hour}:00:00.000Z`, attempts, failures, p95_ms: null }
}
const SERIES = [at(1, 0, 0), at(2, 1_000, 1), at(3, 4, 4)]

describe('the charts of a webhook', () => {
  it('name hours and days in UTC', () => {
    const starts = (['hour', 'day'] as const).map((unit) => bars.startText('2026-01-15T12:00:00.000Z', unit))
    expect(starts).to.deep.equal(['2026-01-15 12:00 UTC', '2026-01-15'])
  })

  it('show a single failure among many, and nothing where nothing was sent', () =>
    expect(bars.errorRates(SERIES)).to.deep.equal([null, 0.1, 100]))

  it('have round lines, and powers of ten where durations span much', () => {
    const ticks = [52, 456, 3, 0].map((most) => linearScale(most).ticks.join())
    expect(ticks).to.deep.equal(['15,30,45,60', '120,240,360,480', '1,2,3,4', '1,2,3,4'])
    expect(durationScale([20, 100]).ticks).to.deep.equal([25, 50, 75, 100])
    expect(durationScale([20, 30_000]).ticks).to.deep.equal([100, 1_000, 10_000, 100_000])
    expect(durationScale([20, 30_000]).at(1_000)).to.equal(0.5)
    expect(shortCount(1_234)).to.equal('1.2 k')
  })

  it('lead to the deliveries of a span, or of all spans that a drag goes over', () => {
    const starts = SERIES.map(({ starts_at }) => starts_at)
    const dragged = { after: starts[0], before: '2026-01-15T04:00:00.000Z', status: '' }
    expect(windowOf({ starts, unit: 'hour' }, 2, 0, '')).to.deep.equal(dragged)
  })

  it('put the endpoint first that fails most, and last those without attempts', () => {
    const of = (attempts: number, failures: number, health: object = {}) => {
      const state = { state: 'healthy' as const, waiting: 0, ...health }
      return { webhook_id: `of ${attempts}`, attempts, failures, health: state }
    }
    const attemptsOf = (listed: Parameters<typeof worstFirst>[0], needAttention: string[] = []) =>
      worstFirst(listed, needAttention).map(({ attempts }) => attempts)
    expect(attemptsOf([of(0, 0), of(10, 0), of(2, 2), of(9, 9), of(10, 1)])).to.deep.equal([9, 2, 10, 10, 0])
    const unwell = [of(4, 4), of(3, 0, { waiting: 2 }), of(2, 0, { state: 'failing' })]
    expect(attemptsOf(unwell)).to.deep.equal([2, 3, 4])
    const failing = of(2, 2, { state: 'failing', waiting: 7 })
    expect(attemptsOf([failing, of(8, 0), of(9, 0)], ['of 9', 'of 8'])).to.deep.equal([9, 8, 2])
  })

  // decision: What needs attention
  it('counts an endpoint that needs attention wherever its name stands, where there are more than are counted', () => {
    expect(countedFirst(['a', 'b', 'c', 'd'], ['d', 'deleted', 'b'], 3)).to.deep.equal(['a', 'b', 'd'])
    expect(countedFirst(['a', 'b', 'c', 'd'], [], 3)).to.deep.equal(['a', 'b', 'c'])
  })

  it('asks for the same while only the order of those that need attention changes, so that nothing shown is dropped', () => {
    const of = (needAttention: readonly string[], most: number) =>
      countedFirst(['a', 'b', 'c', 'd'], needAttention, most)
    for (const most of [2, 4]) expect(of(['d', 'b'], most)).to.deep.equal(of(['b', 'd'], most))
    expect(of(['d'], 4)).to.deep.equal(of([], 4))
  })

  // decision: Degraded
  it('call an endpoint degraded whose latest attempt succeeded, where too many of the day failed', () => {
    const of = (state: 'healthy' | 'failing', attempts: number, successes: number) =>
      ({ health: { state, waiting: 0 }, attempts, successes }) as WebhookActivity
    const degraded = [of('healthy', 3, 1), of('healthy', 10, 9), of('healthy', 0, 0), of('failing', 3, 1)]
    expect(degraded.map(isDegraded)).to.deep.equal([true, false, false, false])
  })
})

const webhook = (id: string, state: string, more: object = {}): Webhook => {
  const failing_since = '2026-01-15T11:00:00.000Z'
  const health = { state, last_error: 'http_500', consecutive_failures: 3, failing_since }
  return { ...SHOWN, id, ...more, health } as Webhook
}

const key = (id: string, state: Key['state'], expires_at: string | null): Key =>
  ({ id, name: id, state, expires_at }) as unknown as Key

describe('what needs attention', () => {
  it('is a webhook that fails, with its cause, and one that the service deactivated', () => {
    const gone = webhook('whk_4', 'disabled', { deactivated_reason: 'gone' })
    const concerns = webhookConcerns([webhook('whk_2', 'failing'), gone])
    expect(concerns.map(({ id }) => id)).to.deep.equal(['whk_2', 'whk_4'])
    expect(concerns[0]).to.include({ href: '/webhooks/whk_2', at: '2026-01-15T11:00:00.000Z' })
    const what = '3 attempts failed in a row. The endpoint answered 500: it failed to handle the request.'
    expect(concerns[0]!.what).to.equal(what)
  })

  it('is a key that stops working, or the old one of a rotation', () => {
    const at = '2026-01-16T12:00:00.000Z'
    const concerns = keyConcerns([key('key_3', 'in_rotation', at), key('key_2', 'active', at)])
    expect(concerns.map(({ what }) => what)).to.deep.equal(['The old key stops working.', 'The key expires.'])
    expect(concerns[0]).to.include({ href: '/keys/key_3', at })
  })
})

describe('the first steps of an environment', () => {
  // decision: First steps
  it('are done by what is there, and over once an event arrived and more were sent', () => {
    const at = '2026-01-15T12:00:00.000Z'
    const made = (total_deliveries: number, last_success_at: string | null): Webhook => {
      const shown = webhook('whk_1', 'healthy', { total_deliveries })
      return { ...shown, health: { ...shown.health, last_success_at } }
    }
    const steps = (webhooks: readonly Webhook[], total = webhooks.length) => {
      const pagination = { page: 1, limit: 50, total }
      const { isSent, hasArrived, isOver } = firstStepsOf({ data: webhooks, pagination } as PageOf<Webhook>)
      return [isSent, hasArrived, isOver]
    }
    for (const none of [[], [made(0, null)]]) expect(steps(none)).to.deep.equal([false, false, false])
    expect(steps([made(9, null)])).to.deep.equal([true, false, false])
    expect(steps([made(1, at)])).to.deep.equal([true, true, false])
    expect(steps([made(1, at), made(9, null)])).to.deep.equal([true, true, true])
    expect(steps([made(0, null)], 51)).to.deep.equal([false, false, true])
  })
})

describe('the notices of the console', () => {
  it('have a name for every kind that a company gets, and lead to what they are about', () => {
    expect(Object.keys(NOTICE_KINDS)).to.have.members([...TENANT_NOTICES])
    expect(ALL_KINDS).to.have.length.above(TENANT_NOTICES.length)
    const place = (kind: Notice['kind'], ids: Partial<Notice>) =>
      placeOf({ kind, webhook_id: null, key_id: null, ...ids } as Notice)
    expect(place('webhook_gone', { webhook_id: 'whk_1' })).to.equal('/webhooks/whk_1')
    expect(place('deliveries_failed', { webhook_id: 'whk_1' })).to.equal('/webhooks/whk_1?status=failed')
    expect(place('key_expires_in_1_day', { key_id: 'key_1' })).to.equal('/keys/key_1')
    expect(place('channel_off', {})).to.equal('/channels')
  })
})
