import { expect } from 'chai'
import { Account } from '../../scripts/soak/account/account.mjs'
import { compareDeliveries } from '../../scripts/soak/account/deliveries.mjs'
import { compareEvents, compareSubscribers } from '../../scripts/soak/account/events.mjs'
import { compareAttempts, compareRequests } from '../../scripts/soak/account/requests.mjs'
import { compareWorkflows } from '../../scripts/soak/account/workflows.mjs'
import type { Kill } from '../../scripts/soak/kills.mjs'
import { Ledger } from '../../scripts/soak/ledger.mjs'
import type { Seen } from '../../scripts/soak/record.mjs'
import { SoakWebhook } from '../../scripts/soak/webhooks.mjs'

/** Long after the webhook became active, so that no margin reaches back to its creation. */
const AT_MS = Date.now() + 60_000

/** One event that was accepted and delivered at the first attempt, as everybody knows it. */
function createWorld() {
  const webhook = new SoakWebhook({ path: '/w0', url: '', types: ['contact.created'], kind: 'good' })
  webhook.id = 'whk_0'
  webhook.become('active')
  const ledger = new Ledger()
  const tag = ledger.nextTag()
  const event = { id: 'evt_1', tag, type: 'contact.created', deliveries: 1 }
  ledger.accept({ ...event, sentAtMs: AT_MS, answeredAtMs: AT_MS + 10 })
  const seen: Seen = { path: '/w0', id: 'evt_1', atMs: AT_MS + 20, status: 200, isCut: false, secret: 0, tag }
  const webhookRow = {
    id: 'whk_0',
    path: '/w0',
    isActive: true,
    deletedAtMs: undefined as number | undefined,
  }
  const delivery = {
    ...{ id: 'del_1', webhook: webhookRow, eventId: 'evt_1', status: 'success', attempts: 1, maxAttempts: 6 },
    ...{ reason: null as string | null, isParked: false, isTest: false, numbers: [1] },
    log: [{ status: 200 as number | null, error: null as string | null }],
  }
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', data: { tag } }))
  const eventRow = { id: 'evt_1', type: 'contact.created', body, deliveries: 1 }
  return {
    ledger,
    webhook,
    webhooks: [webhook],
    record: { seen: [seen], retiredAtMs: () => Infinity },
    kills: [] as Kill[],
    spells: [] as { atMs: number; cutUntilMs: number }[],
    rows: { webhooks: [webhookRow], events: [eventRow], deliveries: [delivery] },
    running: [] as { id: string; type: string }[],
  }
}

type World = ReturnType<typeof createWorld>

/** The account of a world in which something is changed. */
function accountOf(change: (world: World) => unknown): Account {
  const world = createWorld()
  change(world)
  const known = world as unknown as Parameters<typeof compareEvents>[1]
  const account = new Account()
  compareEvents(account, known)
  compareSubscribers(account, known)
  compareDeliveries(account, known)
  compareRequests(account, known)
  compareAttempts(account, known)
  compareWorkflows(account, known, world.running)
  return account
}

const [first, second] = [AT_MS + 20, AT_MS + 9_000]
const again = (world: World) => world.record.seen.push({ ...world.record.seen[0]!, atMs: second })
const killed = (part: Kill['part'], atMs: number): Kill => ({
  part,
  atMs,
  pauseMs: 0,
  readyAtMs: atMs + 1_000,
})
const failed = { status: 'failed', reason: 'attempts_used' }

const LOSSES: Record<string, (world: World) => unknown> = {
  'an accepted event without a row': ({ rows }) => rows.events.splice(0),
  'a delivery that a subscribed webhook never got': ({ rows }) => rows.deliveries.splice(0),
  'a delivery that is still open': ({ rows, running }) => {
    Object.assign(rows.deliveries[0]!, { status: 'retrying' })
    running.push({ id: 'del_1', type: 'deliverWebhook' })
  },
  'a delivery that failed with attempts left': ({ rows }) => Object.assign(rows.deliveries[0]!, failed),
  'a delivery that was cancelled although its webhook lives': ({ rows }) =>
    Object.assign(rows.deliveries[0]!, { status: 'failed', reason: 'webhook_deleted' }),
}

const DISAGREEMENTS: Record<string, (world: World) => unknown> = {
  'a success that no endpoint answered': ({ record }) => Object.assign(record.seen[0]!, { status: 500 }),
  'a request without a delivery': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, id: 'evt_2', atMs: second }),
  'a signature that no secret verifies': ({ record }) => Object.assign(record.seen[0]!, { secret: -1 }),
  'a signature of a former secret': ({ record }) =>
    Object.assign(record, { retiredAtMs: () => first - 10_000 }),
  'a second 2xx without a kill': again,
  'a second 2xx after the kill of a part that records nothing': (world) => {
    again(world)
    world.kills.push(killed('temporal', first + 100))
  },
  'a second 2xx beside a kill, when the log has the first as a failure': (world) => {
    again(world)
    world.kills.push(killed('worker', first + 100))
    const [delivery] = world.rows.deliveries
    delivery!.log.unshift({ status: null, error: 'connection_reset' })
    Object.assign(delivery!, { attempts: 2, numbers: [1, 2] })
  },
  'an event that nobody sent': ({ rows }) =>
    rows.events.push({ ...rows.events[0]!, id: 'evt_2', body: Buffer.from('{"data":{"tag":99}}') }),
  'half of a publish': ({ ledger }) => ledger.uncertain.push([1, 2]),
  'another number of deliveries than was answered': ({ rows }) =>
    Object.assign(rows.events[0]!, { deliveries: 2 }),
  'an attempt that is missing in the log': ({ rows }) => Object.assign(rows.deliveries[0]!, { attempts: 2 }),
  'more attempts than are allowed': ({ rows }) => Object.assign(rows.deliveries[0]!, { maxAttempts: 0 }),
  'an answer in the log that was never given': ({ rows }) =>
    Object.assign(rows.deliveries[0]!.log[0]!, { status: 201 }),
  'a workflow of a closed delivery that runs': ({ running }) =>
    running.push({ id: 'del_1', type: 'deliverWebhook' }),
  'a failure for good after a 2xx': ({ rows }) =>
    Object.assign(rows.deliveries[0]!, { ...failed, maxAttempts: 1 }),
}

describe('the account of npm run soak', () => {
  it('is good when everybody knows the same', () => {
    const { lost, disagreements, explained } = accountOf(() => undefined)
    expect({ lost, disagreements, explained }).to.deep.equal({ lost: [], disagreements: [], explained: [] })
  })

  for (const [what, change] of Object.entries(LOSSES)) {
    it(`finds a loss: ${what}`, () => {
      expect(accountOf(change).lost).to.have.length.above(0)
    })
  }

  for (const [what, change] of Object.entries(DISAGREEMENTS)) {
    it(`finds a disagreement: ${what}`, () => {
      expect(accountOf(change).disagreements).to.have.length.above(0)
    })
  }

  it('explains a second 2xx by a kill of the worker shortly after the first, and names it', () => {
    const account = accountOf((world) => {
      again(world)
      world.kills.push(killed('worker', first + 100))
    })
    expect(account.isGood()).to.equal(true)
    expect(account.explained).to.have.length(1)
    expect(account.explained[0]).to.include('evt_1').and.include('worker killed')
  })

  it('explains a request without a record by the deletion of its webhook while it was on the wire', () => {
    const cancelled = (deletedAtMs: number) =>
      accountOf(({ rows, record }) => {
        record.seen[0]!.status = undefined
        Object.assign(rows.webhooks[0]!, { deletedAtMs })
        const delivery = { status: 'failed', reason: 'webhook_deleted', attempts: 0, numbers: [], log: [] }
        Object.assign(rows.deliveries[0]!, delivery)
      })
    expect(cancelled(first + 3_000).explained[0]).to.include('deleted meanwhile')
    expect(cancelled(first + 60_000).isGood()).to.equal(false)
  })

  it('knows that a request which its endpoint cut may be sent again in the same attempt, however late', () => {
    const cutFirst = (log: { status: number | null; error: string | null }[]) =>
      accountOf(({ record, rows }) => {
        const [seen] = record.seen
        record.seen.push({ ...seen!, atMs: second })
        Object.assign(seen!, { status: undefined, isCut: true })
        const numbers = log.map((_, index) => index + 1)
        Object.assign(rows.deliveries[0]!, { log, numbers, attempts: log.length })
      })
    const [delivered, reset] = [
      { status: 200, error: null },
      { status: null, error: 'connection_reset' },
    ]
    expect(cutFirst([delivered]).isGood()).to.equal(true)
    expect(cutFirst([reset, delivered]).isGood()).to.equal(true)
    const twice = accountOf(({ record }) => {
      record.seen.push({ ...record.seen[0]!, atMs: second, status: undefined })
    })
    expect(twice.isGood()).to.equal(false)
  })

  it('explains a second 2xx by a cut of its endpoint only when that endpoint cuts connections', () => {
    const ofKind = (kind: 'good' | 'refuses') =>
      accountOf((world) => {
        again(world)
        world.spells.push({ atMs: first + 100, cutUntilMs: first + 200 })
        world.webhook.kind = kind
      })
    expect(ofKind('refuses').isGood()).to.equal(true)
    expect(ofKind('good').isGood()).to.equal(false)
  })

  it('finds a test event that was answered as a success and is none', () => {
    const test = { deliveryId: 'del_1', isSuccess: true }
    expect(accountOf(({ ledger }) => ledger.tests.push(test)).isGood()).to.equal(true)
    const { disagreements } = accountOf(({ ledger }) => ledger.tests.push({ ...test, deliveryId: 'del_2' }))
    expect(disagreements).to.have.length(1)
  })

  it('takes a parked delivery of an inactive webhook for held', () => {
    const account = accountOf(({ rows, record }) => {
      record.seen.splice(0)
      rows.webhooks[0]!.isActive = false
      Object.assign(rows.deliveries[0]!, {
        status: 'pending',
        isParked: true,
        attempts: 0,
        numbers: [],
        log: [],
      })
    })
    expect(account.isGood()).to.equal(true)
  })

  it('expects nothing of an event that was accepted while its webhook changed', () => {
    const account = accountOf(({ webhook, ledger, rows, record }) => {
      webhook.become('unknown')
      ledger.accepted.get('evt_1')!.deliveries = 0
      Object.assign(rows.events[0]!, { deliveries: 0 })
      rows.deliveries.splice(0)
      record.seen.splice(0)
    })
    expect(account.isGood()).to.equal(true)
  })
})
