import { expect } from 'chai'
import { compareCopy } from '../../../soak/sync/records.ts'
import * as soak from '../../support/soak-world.ts'

type Change = (world: soak.World) => unknown

/** The delivery of the world gets these values. */
const delivered =
  (fields: object): Change =>
  ({ rows }) =>
    Object.assign(rows.deliveries[0]!, fields)
const FAILED = { ...soak.failed, maxAttempts: 1 }
const CANCELLED = { status: 'failed', reason: 'webhook_deleted' }

const LOSSES: Record<string, Change> = {
  'an accepted event without a row': ({ rows }) => rows.events.splice(0),
  'a delivery that a subscribed webhook never got': ({ rows }) => rows.deliveries.splice(0),
  'a delivery that failed with attempts left': delivered(soak.failed),
  'a recovery without a row': ({ ledger }) => ledger.recoveries.push('rec_1'),
}

/** A second 2xx shortly after a kill of the worker, maybe after an attempt that failed. */
const besideKill =
  (former?: string): Change =>
  (world) => {
    soak.again(world)
    world.kills.push(soak.killed('worker', soak.first + 100))
    const [delivery] = world.rows.deliveries
    if (former === undefined) return
    delivery!.log.unshift({ status: null, error: former })
    Object.assign(delivery!, { attempts: 2, numbers: [1, 2] })
  }
const besideCut =
  (kind: 'good' | 'refuses'): Change =>
  (world) => {
    soak.again(world)
    world.spells.push({ atMs: soak.first + 100, cutUntilMs: soak.first + 200 })
    world.webhook.kind = kind
  }
const failedBy = (error: string) => delivered({ ...FAILED, log: [{ status: null, error }] })
const deletedAt =
  (deletedAtMs: number): Change =>
  (world) => {
    world.record.seen[0]!.status = undefined
    Object.assign(world.rows.webhooks[0]!, { deletedAtMs })
    delivered({ ...CANCELLED, attempts: 0, numbers: [], log: [] })(world)
  }
/** The endpoint cut the first request, and the log has these attempts. */
const cutFirst =
  (...log: { status: number | null; error: string | null }[]): Change =>
  ({ record, rows }) => {
    const [seen] = record.seen
    record.seen.push({ ...seen!, atMs: soak.second })
    Object.assign(seen!, { status: undefined, isCut: true })
    const numbers = log.map((_, index) => index + 1)
    Object.assign(rows.deliveries[0]!, { log, numbers, attempts: log.length })
  }
const arrived = { status: 200, error: null }
const reset = { status: null, error: 'connection_reset' }

/** What looks wrong and is not, and what the explanation names. */
const EXPLAINED: readonly [what: string, change: Change, explanation?: string[]][] = [
  ['a second 2xx by a kill of the worker shortly after the first', besideKill(), ['evt_1', 'worker killed']],
  ['it also when an attempt before sent nothing', besideKill('connect_error'), ['worker killed']],
  ['a second 2xx by a cut of an endpoint that cuts connections', besideCut('refuses')],
  ['a failure for good whose 2xx came after the time-out of its attempt', failedBy('response_timeout')],
  ['a request without a record by a deletion', deletedAt(soak.first + 3_000), ['deleted meanwhile']],
  ['a request that its endpoint cut and that was sent again in the same attempt', cutFirst(arrived)],
  ['it also when the cut is in the log', cutFirst(reset, arrived)],
]

const DISAGREEMENTS: Record<string, Change> = {
  'a success that no endpoint answered': ({ record }) => Object.assign(record.seen[0]!, { status: 500 }),
  'a request without a delivery': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, id: 'evt_2', atMs: soak.second }),
  'a signature that no secret verifies': ({ record }) => Object.assign(record.seen[0]!, { secret: -1 }),
  'a second 2xx without a kill': soak.again,
  'a second 2xx after the kill of a part that records nothing': (world) => {
    soak.again(world)
    world.kills.push(soak.killed('temporal', soak.first + 100))
  },
  'a second 2xx beside a kill, when the log has the first as a failure': besideKill('connection_reset'),
  'a failure for good after a request that was sent': failedBy('connection_reset'),
  'a request without a record long before its webhook was deleted': deletedAt(soak.first + 60_000),
  'a second request that nothing cut': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, atMs: soak.second, status: undefined }),
  'a second 2xx beside a cut of an endpoint that cuts nothing': besideCut('good'),
  'an event that nobody sent': ({ rows }) =>
    rows.events.push({ ...rows.events[0]!, id: 'evt_2', body: Buffer.from('{"data":{"tag":99}}') }),
  'an attempt that is missing in the log': delivered({ attempts: 2 }),
  'an answer in the log that was never given': delivered({ log: [{ status: 201, error: null }] }),
  'a workflow of a closed delivery that runs': ({ running }) =>
    running.push({ id: 'del_1', type: 'deliverWebhook' }),
  'a failure for good after a 2xx': delivered(FAILED),
}

describe('the account of npm run soak', () => {
  it('is good when everybody knows the same', () => {
    const { lost, disagreements, explained } = soak.accountOf(() => undefined)
    expect({ lost, disagreements, explained }).to.deep.equal({ lost: [], disagreements: [], explained: [] })
  })

  for (const [part, changes] of Object.entries({ lost: LOSSES, disagreements: DISAGREEMENTS }))
    for (const [what, change] of Object.entries(changes))
      it(`finds in ${part}: ${what}`, () =>
        expect(soak.accountOf(change)[part as 'lost' | 'disagreements']).to.have.length.above(0))

  for (const [what, change, explanation = []] of EXPLAINED)
    it(`explains ${what}`, () => {
      const account = soak.accountOf(change)
      expect(account.isGood()).to.equal(true)
      for (const part of explanation) expect(account.explained.join()).to.include(part)
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
})
