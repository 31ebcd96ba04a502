// Also on MySQL with direct attempts: its transactions lock rows.
import { mock } from 'node:test'
import { expect } from 'chai'
import { connect } from '../../../../src/db/connection/connection.ts'
import { isUnavailable } from '../../../../src/db/connection/errors.ts'
import { createPurge } from '../../../../src/activities/purge.ts'
import { DAY_MS } from '../../../../src/domain/instants.ts'
import { feedCursor, type FeedPlace } from '../../../../src/domain/event/feed.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { CostLimits } from '../../../../src/operations/cost-limits.ts'
import { Feed, type FeedPart, type FeedRequest } from '../../../../src/operations/event/feed.ts'
import { FeedReaders, MOST_WAITING } from '../../../../src/operations/event/feed-readers.ts'
import { publishEvents } from '../../../../src/operations/event/publish.ts'
import { SharedPublishes } from '../../../../src/operations/event/shared-publishes.ts'
import { untilIs } from '../../../support/poll.ts'
import { createKeyring, refusalOf, useOperations } from '../../../support/use-operations.ts'

const EVENT = { type: 'contact.created' as const, data: {} }

describe('the feed', () => {
  const its = useOperations()
  const { tenant } = its
  let readers: FeedReaders
  let feed: Feed

  beforeEach(() => {
    readers = new FeedReaders(its.deps)
    feed = new Feed(its.deps, new CostLimits(), readers)
  })
  afterEach(async () => {
    await readers.stop()
    mock.timers.reset()
  })
  /** Stops the timer that reads the feed every second. @returns a function that reads it once */
  function lookByHand(): () => void {
    mock.timers.enable({ apis: ['setInterval'] })
    return () => mock.timers.tick(1_000)
  }

  const follow = (from: FeedPlace, given: Partial<FeedRequest> = {}, owner: Tenant = tenant()) =>
    feed.follow(owner, {
      from,
      limit: 100,
      keyId: 'a key',
      waitMs: 0,
      recheck: () => Promise.resolve(),
      onGone: () => undefined,
      makeRoom: () => Promise.resolve(),
      ...given,
    })
  const idsOf = ({ items }: FeedPart) => items.map(({ id }) => id)
  const ring = () => readers.ring([{ companyId: tenant().companyId, queue: 'live' }])
  /** Resolves once `count` readers wait after their first reads. A read at the same place joins a read under way. */
  const waiting = async (count: number) => {
    await untilIs(() => readers.waiting, count)
    await follow('end')
  }

  /** Follows the feed in small parts until its end is reached and `isOver` is true. */
  async function readAll(isOver: () => boolean, owner = tenant()): Promise<string[]> {
    const read: string[] = []
    for (let place: FeedPlace = 'start'; ;) {
      const wasOver = isOver()
      const part = await follow(place, { limit: 7 }, owner)
      read.push(...idsOf(part))
      place = part.place
      if (wasOver && part.isAtEnd) return read
    }
  }

  // decision: The feed
  it('gives the events of writers side by side once each, those of a writer in its order, to a reader beside them', async function () {
    this.timeout(60_000)
    const test: Tenant = { ...tenant(), environment: 'test' }
    const written: string[][] = []
    async function write(owner: Tenant, shared: SharedPublishes | undefined, batch: number): Promise<void> {
      const own: string[] = []
      if (owner !== test) written.push(own)
      for (let n = 0; n < 12; n++) {
        const inputs = Array.from({ length: batch }, () => EVENT)
        const published = await publishEvents(its.deps, owner, inputs, shared ? { shared } : {})
        own.push(...published.map(({ id }) => id))
      }
    }
    const processes = [1, 2, 3].map(() => new SharedPublishes(its.deps))
    let isOver = false
    const writing = Promise.all([
      ...processes.flatMap((shared) => [
        write(tenant(), shared, 1),
        write(tenant(), shared, 60),
        write(test, shared, 1),
      ]),
      ...[1, 2].map(() => write(tenant(), undefined, 1)),
    ]).finally(() => (isOver = true))
    const [read] = await Promise.all([readAll(() => isOver), writing])
    const { companyId } = tenant()
    const all = await its.db('events').where({ company_id: companyId, environment: 'live' }).pluck('id')
    expect(read).to.have.members(all)
    for (const own of written)
      expect(own).to.deep.equal(own.toSorted((a, b) => read.indexOf(a) - read.indexOf(b)))
    expect(await readAll(() => true, test)).to.have.length(36)
  })

  it('goes on behind a cursor with events of some types, begins at either end, and gives nothing twice for a publish that is repeated', async () => {
    for (const id of ['evt_b', 'evt_a', 'evt_b']) await publishEvents(its.deps, tenant(), [{ ...EVENT, id }])
    expect(idsOf(await follow('start'))).to.deep.equal(['evt_b', 'evt_a'])
    await its.publish(28)
    await its.publish(2, 'task.created')
    await its.publish(3)
    const types = ['task.created'] as const
    const tasks = await follow('start', { types, limit: 1 })
    expect([tasks.items.length, tasks.isAtEnd]).to.deep.equal([1, false])
    const { items, ...end } = await follow(tasks.place, { types })
    expect([items.length, end]).to.deep.equal([1, { place: 35, isAtEnd: true }])
    expect(await follow('end')).to.deep.equal({ items: [], place: 35, isAtEnd: true })
    expect((await follow(33)).items).to.have.length(2)
  })

  // decision: Cursors of the feed
  it('answers CURSOR_EXPIRED with the oldest cursor when events behind one were purged, or are gone', async () => {
    await its.publish(3)
    const others = await its.publish(120)
    const { companyId } = tenant()
    const purge = async (where: object) => {
      const age = { created_at: new Date(Date.now() - 31 * DAY_MS) }
      await its.set('feed', { company_id: companyId, ...where }, age)
      await createPurge(its.deps)()
    }
    await purge({ position: 3 })
    const refused = await refusalOf(follow(2))
    expect(refused).to.include('CURSOR_EXPIRED').and.include(feedCursor(tenant(), 3))
    expect((await follow(3)).items).to.have.length(100)
    expect((await follow('start')).place).to.equal(103)
    await its.db('events').where({ id: others[0]!.id }).delete()
    expect(await refusalOf(follow(3, { limit: 100 }))).to.match(/^CURSOR_EXPIRED/)
    expect((await follow('start', { limit: 100 })).place).to.equal(103)
    await purge({})
    expect(await refusalOf(follow(100))).to.include(feedCursor(tenant(), 123))
    expect(await follow('start')).to.deep.equal({ items: [], place: 123, isAtEnd: true })
  })

  // decision: Waiting readers
  it('lets a reader wait until it is rung, finds within a second what no ring told, and ends at the end of the wait', async () => {
    const rung = follow('end', { waitMs: 30_000 })
    await waiting(1)
    const [event] = await its.publish()
    ring()
    expect(idsOf(await rung)).to.deep.equal([event!.id])
    const unrung = follow('end', { waitMs: 30_000 })
    await waiting(1)
    const [late] = await its.publish()
    expect(idsOf(await unrung)).to.deep.equal([late!.id])
    expect(await follow(2, { waitMs: 10 })).to.deep.equal({ items: [], place: 2, isAtEnd: true })
    expect(readers.taken).to.equal(0)
  })

  // decision: Waiting readers
  it('lets readers wait on while the database is away, and refuses those whose wait ends meanwhile', async () => {
    const look = lookByHand()
    const deps = { ...its.deps }
    const unsure = new Promise<void>((resolve) => (deps.log = { ...deps.log, warn: () => resolve() }))
    const away = connect('mysql://nobody@127.0.0.1:1/none', { acquireTimeoutMs: 200 })
    readers = new FeedReaders(deps)
    feed = new Feed(deps, new CostLimits(), readers)
    const [unlucky, patient] = [3_000, 30_000].map((waitMs) => follow('end', { waitMs }).catch(isUnavailable))
    await waiting(2)
    deps.db = away
    look()
    await unsure
    expect(await unlucky).to.equal(true)
    deps.db = its.db
    await its.publish()
    look()
    expect(await patient).to.deep.include({ place: 1, isAtEnd: true })
    await away.destroy()
  })

  it('checks the key again before it gives out what was waited for', async () => {
    const revoked = follow('end', { waitMs: 30_000, recheck: () => Promise.reject(new Error('revoked')) })
    await waiting(1)
    await its.publish()
    ring()
    expect(await revoked.catch(String)).to.equal('Error: revoked')
    expect(readers.taken).to.equal(0)
  })

  // decision: Waiting readers
  it('answers the sixth of a key at once, and all when the process stops or their clients are gone', async () => {
    let leave: () => void = () => undefined
    const gone = follow('end', { waitMs: 30_000, onGone: (listener) => (leave = listener) })
    const others = Array.from({ length: MOST_WAITING.ofKey - 1 }, () => follow('end', { waitMs: 30_000 }))
    await waiting(MOST_WAITING.ofKey)
    expect((await follow('end', { waitMs: 30_000 })).items).to.deep.equal([])
    leave()
    await gone
    expect(readers.taken).to.equal(MOST_WAITING.ofKey - 1)
    await readers.stop()
    await Promise.all(others)
    await follow('end', { waitMs: 30_000 })
    expect(readers.taken).to.equal(0)
  })

  // decision: Waiting readers
  it('has hundreds of readers wait with one query a second, and wakes those of a company with one part', async function () {
    this.timeout(60_000)
    const look = lookByHand()
    const keyrings = await Promise.all(Array.from({ length: 10 }, () => createKeyring(its.deps)))
    const owners = keyrings.map(({ companyId }) => ({ ...tenant(), companyId }))
    let [queries, looks] = [0, 0]
    const count = (_rows: unknown, { sql }: { sql: string }) => {
      queries += 1
      if (/FROM feed_heads\s+WHERE \(/.test(sql)) looks += 1
    }
    its.db.on('query-response', count)
    const follows = owners.flatMap((owner) =>
      Array.from({ length: 30 }, (_, n) =>
        follow('end', { waitMs: 30_000, keyId: `${owner.companyId} ${n % 6}` }, owner),
      ),
    )
    await waiting(300)
    // The first reader triggers the first look.
    await Promise.all(owners.map((owner) => follow('end', {}, owner)))
    await untilIs(() => looks, 1)
    queries = 0
    // The third statement also records that clients wait here.
    for (const expected of [1, 2, 4]) await untilIs((look(), () => queries), expected)
    const [owner] = owners
    await publishEvents(its.deps, owner!, [EVENT])
    queries = 0
    readers.ring([{ companyId: owner!.companyId, queue: 'live' }])
    const parts = await Promise.all(follows.slice(0, 30))
    expect(queries).to.be.below(10)
    its.db.off('query-response', count)
    expect(parts.every(({ items }) => items.length === 1)).to.equal(true)
    expect(readers.taken).to.equal(270)
    await readers.stop()
    await Promise.all(follows)
  })
})
