import { expect } from 'chai'
import { compareCopy } from '../../../soak/sync/records.ts'
import * as soak from '../../support/soak-world.ts'

type Change = (world: soak.World) => unknown

/** The delivery of the world gets these values. */
const delivered =
  (fields: object): Change =>
  ({ rows }) =>
    Object.assign(rows.deliveries[0]!, fields)

const LOSSES: Record<string, Change> = {
  'an accepted event without a row': ({ rows }) => rows.events.splice(0),
  'a delivery that a subscribed webhook never got': ({ rows }) => rows.deliveries.splice(0),
  'a delivery that failed with attempts left': delivered(soak.failed),
  'a delivery that is still open': delivered({ status: 'retrying' }),
  'a recovery without a row': ({ ledger }) => ledger.recoveries.push('rec_1'),
}

/** A second 2xx shortly after a kill of this part. */
const besideKill =
  (part: 'worker' | 'temporal'): Change =>
  (world) => {
    soak.again(world)
    world.kills.push(soak.killed(part, soak.first + 100))
  }

const DISAGREEMENTS: Record<string, Change> = {
  'a success that no endpoint answered': ({ record }) => Object.assign(record.seen[0]!, { status: 500 }),
  'a request without a delivery': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, id: 'evt_2', atMs: soak.second }),
  'a signature that no secret verifies': ({ record }) => Object.assign(record.seen[0]!, { secret: -1 }),
  'a second 2xx without a kill': soak.again,
  'a second 2xx after the kill of a part that records nothing': besideKill('temporal'),
  'a second request that nothing cut': ({ record }) =>
    record.seen.push({ ...record.seen[0]!, atMs: soak.second, status: undefined }),
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
  'a failure for good after a 2xx': delivered({ ...soak.failed, maxAttempts: 1 }),
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

  it('explains a second 2xx by a kill of the worker shortly after the first', () => {
    const account = soak.accountOf(besideKill('worker'))
    expect(account.isGood()).to.equal(true)
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
})
