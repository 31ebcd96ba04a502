// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { connect, type SystemDb } from '../../src/db/connection/connection.ts'
import { createKeyLookups, type KeyLookups } from '../../src/db/key/rows.ts'
import { hashApiKey, newApiKey } from '../../src/domain/key/key.ts'
import { newToken } from '../../src/domain/user/session.ts'
import { revokeApiKey } from '../../src/operations/key/change.ts'
import { createFindSession } from '../../src/operations/sessions/session.ts'
import { createTcpProxyTo } from '../support/tcp-proxy.ts'
import { useOperations } from '../support/use-operations.ts'

const unknownHash = () => hashApiKey(newApiKey('salesdata', 'live'))
const manyUnknown = (lookups: KeyLookups, count: number) =>
  Array.from({ length: count }, () => lookups.find(unknownHash()))

/** Opens this many connections of the pool. Short concurrent queries may otherwise share one connection. */
async function openConnections({ client }: SystemDb, count: number): Promise<void> {
  const opening = Array.from({ length: count }, () => client.acquireConnection() as Promise<object>)
  const opened = await Promise.all(opening)
  for (const connection of opened) await client.releaseConnection(connection)
}

describe('lookups of many unknown keys', () => {
  const its = useOperations()

  /** Queries that began while the work ran, and their highest number at once. */
  async function watchQueries(work: () => Promise<unknown>): Promise<{ queries: number; atOnce: number }> {
    const { db } = its.database
    const underWay = new Set<string>()
    const seen = { queries: 0, atOnce: 0 }
    const begin = ({ __knexQueryUid: id }: { __knexQueryUid: string }) => {
      seen.queries += 1
      seen.atOnce = Math.max(seen.atOnce, underWay.add(id).size)
    }
    const end = (_: unknown, { __knexQueryUid: id }: { __knexQueryUid: string }) => underWay.delete(id)
    db.on('query', begin).on('query-response', end)
    await work()
    db.removeListener('query', begin).removeListener('query-response', end)
    return seen
  }

  // decision: Key lookups share queries
  it('share queries, at most four at a time, and find the known key among the unknown ones', async () => {
    const lookups = createKeyLookups(its.db)
    const known = await its.keyring.create()
    const { queries, atOnce } = await watchQueries(async () => {
      const before = manyUnknown(lookups, 500)
      const found = lookups.find(hashApiKey(known.secret))
      const answers = await Promise.all([...before, ...manyUnknown(lookups, 499)])
      expect(new Set(answers)).to.deep.equal(new Set([undefined]))
      expect((await found)?.key.id).to.equal(known.id)
    })
    expect(queries).to.equal(10)
    expect(atOnce).to.be.within(1, 4)
  })

  // decision: Key lookups share queries
  it('share queries as those of unknown sessions do', async () => {
    const find = createFindSession(its.deps)
    await openConnections(its.db, 2)
    const { queries, atOnce } = await watchQueries(async () => {
      const found = await Promise.all(Array.from({ length: 1_000 }, () => find(newToken())))
      expect(new Set(found)).to.deep.equal(new Set([undefined]))
    })
    expect([queries, atOnce]).to.deep.equal([10, 2])
  })

  // decision: Key lookups share queries
  it('keep nothing: a revocation holds for the next lookup', async () => {
    const lookups = createKeyLookups(its.db)
    const { id, secret } = await its.keyring.create()
    const hash = hashApiKey(secret)
    const storm = manyUnknown(lookups, 1_000)
    expect((await lookups.find(hash))?.key.revokedAt).to.equal(null)
    await revokeApiKey(its.deps, its.keyring.companyId, COMMAND_LINE, id)
    storm.push(...manyUnknown(lookups, 1_000))
    expect((await lookups.find(hash))?.key.revokedAt).to.be.an.instanceOf(Date)
    await Promise.all(storm)
  })

  // decision: Key lookups share queries
  it('fail together when the database does not answer, those that wait for a query too', async () => {
    const { database } = its
    const proxy = await createTcpProxyTo(database.url)
    const away = connect(proxy.through(database.url), { queryTimeoutMs: 300 })
    const lookups = createKeyLookups(away)
    await openConnections(away, 2)
    proxy.stall()
    let queries = 0
    away.on('query', () => (queries += 1))
    const ends = await Promise.allSettled(manyUnknown(lookups, 1_000))
    expect(new Set(ends.map(({ status }) => status))).to.deep.equal(new Set(['rejected']))
    expect(queries).to.equal(2)
    await away.destroy()
    await proxy.stop()
  })
})
