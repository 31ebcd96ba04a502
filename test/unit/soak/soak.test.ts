import { expect } from 'chai'
import { compareCopy, compareFeed } from '../../../soak/sync/compare.ts'
import { compareAll } from '../../../soak/account/account.ts'
import type { RecoveryRow } from '../../../soak/account/rows.ts'
import type { Kill } from '../../../soak/stack.ts'
import { Ledger } from '../../../soak/ledger.ts'
import type { Seen } from '../../../soak/endpoints.ts'
import { SoakWebhook } from '../../../soak/webhooks.ts'

/** Long after the webhook became active, so that no margin reaches back to its creation. */
const AT_MS = Date.now() + 3_600_000

/** One accepted event, delivered at the first attempt, as all records agree. */
function createWorld() {
  const webhook = new SoakWebhook('/w0', ['contact.created'], 'good')
  webhook.id = 'whk_0'
  webhook.become('active')
  const ledger = new Ledger()
  const tag = ledger.nextTag()
  const event = { id: 'evt_1', tag, type: 'contact.created', deliveries: 1 }
  ledger.accept({ ...event, sentAtMs: AT_MS, answeredAtMs: AT_MS + 10 })
  const seen: Seen = { path: '/w0', id: 'evt_1', atMs: AT_MS + 20, status: 200, isCut: false, secret: 0 }
  const webhookRow = { id: 'whk_0', path: '/w0', isActive: true, deletedAt: null }
  const delivery = {
    id: 'del_1',
    webhook: webhookRow,
    eventId: 'evt_1',
    status: 'success',
    attempts: 1,
    maxAttempts: 6,
    closedReason: null as string | null,
    parkedAt: null,
    log: [{ number: 1, status: 200 as number | null, error: null as string | null }],
    isOriginal: true,
    resendOf: null as string | null,
    createdAt: new Date(AT_MS),
    closedAt: new Date(AT_MS + 30),
  }
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', data: { tag } }))
  const eventRow = { id: 'evt_1', type: 'contact.created', body, deliveries: 1 }
  return {
    ledger,
    webhooks: [webhook],
    record: { seen: [seen], retiredAtMs: () => Infinity },
    kills: [] as Kill[],
    endpoints: { spells: [] },
    rows: {
      webhooks: [webhookRow],
      events: [eventRow],
      deliveries: [delivery],
      recoveries: [] as RecoveryRow[],
      commands: [] as object[],
    },
    running: [] as { id: string; type: string }[],
  }
}

type World = ReturnType<typeof createWorld>
type Change = (world: World) => unknown

/** The result of the check for a world with one change. */
function accountOf(change: Change): ReturnType<typeof compareAll> {
  const world = createWorld()
  change(world)
  return compareAll(world as unknown as Parameters<typeof compareAll>[0])
}

const [first, second] = [AT_MS + 20, AT_MS + 9_000]
/** Adds a second arrival of the event with the same answer. */
const again = (world: World) => world.record.seen.push({ ...world.record.seen[0]!, atMs: second })
const killed = (part: Kill['part'], atMs: number): Kill => ({ part, atMs, readyAtMs: atMs + 1_000 })
const failed = { status: 'failed', closedReason: 'attempts_used' }

/** Changes these values of the world's delivery. */
const delivered =
  (fields: object): Change =>
  ({ rows }) =>
    Object.assign(rows.deliveries[0]!, fields)

const LOSSES: Record<string, Change> = {
  'an accepted event without a row': ({ rows }) => rows.events.splice(0),
  'a delivery that a subscribed webhook never got': ({ rows }) => rows.deliveries.splice(0),
  'a delivery that failed with attempts left': delivered(failed),
  'a delivery that is still open': delivered({ status: 'retrying' }),
  'a recovery without a row': ({ ledger }) => ledger.recoveries.push('rec_1'),
}

/** Adds a second 2xx shortly after a kill of this process. */
const besideKill =
  (part: 'worker' | 'temporal'): Change =>
  (world) => {
    again(world)
    world.kills.push(killed(part, first + 100))
  }

const DISAGREEMENTS: Record<string, Change> = {
  'a success that no endpoint answered': ({ record }) => Object.assign(record.seen[0]!, { status: 500 }),
  'a request without a delivery': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, id: 'evt_2', atMs: second }),
  'a signature that no secret verifies': ({ record }) => Object.assign(record.seen[0]!, { secret: -1 }),
  'a second 2xx without a kill': again,
  'a second 2xx after the kill of a part that records nothing': besideKill('temporal'),
  'a second request that nothing cut': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, atMs: second, status: undefined }),
  'an event that nobody sent': ({ rows }) =>
    rows.events.push({ ...rows.events[0]!, id: 'evt_2', body: Buffer.from('{"data":{"tag":99}}') }),
  'an attempt that is missing in the log': delivered({ attempts: 2 }),
  'an answer in the log that was never given': delivered({ log: [{ number: 1, status: 201, error: null }] }),
  'a workflow of a closed delivery that runs': ({ running }) =>
    running.push({ id: 'del_1', type: 'deliverWebhook' }),
  'a command that nobody carried out': ({ rows }) =>
    rows.commands.push({ kind: 'wake', subject_id: 'del_1' }),
  'an answer that contradicts another one': ({ ledger }) =>
    ledger.accept({ ...ledger.accepted.get('evt_1')!, deliveries: 2 }),
  'a failure for good after a 2xx': delivered({ ...failed, maxAttempts: 1 }),
}

describe('the account of npm run soak', () => {
  it('is good when everybody knows the same', () => {
    const { lost, disagreements, explained } = accountOf(() => undefined)
    expect({ lost, disagreements, explained }).to.deep.equal({ lost: [], disagreements: [], explained: [] })
  })

  for (const [part, changes] of Object.entries({ lost: LOSSES, disagreements: DISAGREEMENTS }))
    for (const [what, change] of Object.entries(changes))
      it(`finds in ${part}: ${what}`, () =>
        expect(accountOf(change)[part as 'lost' | 'disagreements']).to.have.length.above(0))

  it('explains a second 2xx by a kill of the worker shortly after the first', () => {
    const account = accountOf(besideKill('worker'))
    expect([...account.lost, ...account.disagreements]).to.deep.equal([])
    expect(account.explained.join()).to.include('evt_1').and.include('worker killed')
  })
})

describe('the account of npm run drill:sync', () => {
  it('tells what is different, missing and left over', () => {
    const table = new Map(Object.entries({ a: { name: 'a' }, b: { name: 'b' }, c: {}, d: {} }))
    const held = (record: unknown) => ({ revision: 1, record })
    const [same, different] = [held({ name: 'a' }), held({ name: 'old' })]
    const rows = { a: same, b: different, c: held(null), e: held({}), f: held(null) }
    const compared = compareCopy(table, new Map(Object.entries(rows)))
    expect(compared).to.deep.equal({ same: ['a'], different: ['b'], missing: ['c', 'd'], extra: ['e'] })
  })

  it('tells what a reader of the feed missed, read twice or read before what was answered earlier', () => {
    const call = (sentMs: number) => ({ sentMs, answeredMs: sentMs + 10 })
    const accepted = new Map(Object.entries({ a: call(0), b: call(5), c: call(20), d: call(40) }))
    const faults = compareFeed(accepted, [
      ['b', 'a', 'unanswered', 'c', 'd'],
      ['b', 'c', 'a', 'b'],
    ])
    const differ = 'the readers differ: a and c'
    expect(faults).to.deep.equal({ missing: ['d'], repeated: ['b'], 'out of order': ['a', 'b', differ] })
  })
})
