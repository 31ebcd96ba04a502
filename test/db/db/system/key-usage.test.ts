import { expect } from 'chai'
import type { Deps } from '../../../../src/process/deps.ts'
import { listDailyUsage } from '../../../../src/db/key/usage.ts'
import { addUsage } from '../../../../src/db/system/key-usage.ts'
import type { KeyUsage } from '../../../../src/domain/key/usage.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { testDeps } from '../../../support/deps.ts'
import { createKeyring } from '../../../support/keyring.ts'

describe('usage of API keys in the database', () => {
  let database: TestDatabase
  let deps: Deps
  before(async () => {
    database = await createTestDatabase()
    deps = testDeps(database)
  })
  after(() => database.drop())

  async function createKeys(count: number): Promise<string[]> {
    const keyring = await createKeyring(deps)
    const keys = await Promise.all(Array.from({ length: count }, () => keyring.create()))
    return keys.map(({ id }) => id)
  }
  const usage = (keyId: string, at: string, requests: number, address = '192.0.2.1'): KeyUsage => ({
    keyId,
    latest: { at: new Date(at), address },
    requestsByDay: new Map([[at.slice(0, 10), requests]]),
  })
  const row = (id: string): Promise<Record<string, unknown>> =>
    database.db('api_keys').where({ id }).first('request_count', 'last_used_at', 'last_used_ip')

  it('adds up requests by key and UTC day', async () => {
    const [id = ''] = await createKeys(1)
    await addUsage(database.db, [usage(id, '2026-03-01T23:59:59.999Z', 2)])
    await addUsage(database.db, [usage(id, '2026-03-01T23:59:59.999Z', 3)])
    await addUsage(database.db, [usage(id, '2026-03-02T00:00:00.000Z', 4)])
    expect(await row(id)).to.include({ request_count: 9 })
    const daily = await listDailyUsage(database.db, [id], '2026-03-01')
    expect(daily.get(id)).to.have.deep.members([
      { date: '2026-03-01', requests: 5 },
      { date: '2026-03-02', requests: 4 },
    ])
    expect((await listDailyUsage(database.db, [id], '2026-03-02')).get(id)).to.have.length(1)
  })

  it('keeps the latest request’s time and address when an earlier one is written later', async () => {
    const [id = ''] = await createKeys(1)
    await addUsage(database.db, [usage(id, '2026-03-02T12:00:00.500Z', 1, '2001:db8::1')])
    await addUsage(database.db, [usage(id, '2026-03-02T12:00:00.400Z', 1, '192.0.2.9')])
    expect(await row(id)).to.deep.equal({
      request_count: 2,
      last_used_at: new Date('2026-03-02T12:00:00.500Z'),
      last_used_ip: '2001:db8::1',
    })
  })

  // decision: Usage
  it('counts every request when many processes write the same keys at once', async () => {
    const ids = await createKeys(5)
    const shuffled = (round: number) => [...ids.slice(round % 5), ...ids.slice(0, round % 5)]
    const writes = Array.from({ length: 20 }, (_, round) =>
      addUsage(
        database.db,
        shuffled(round).map((id) => usage(id, '2026-03-02T12:00:00.000Z', 1)),
      ),
    )
    await Promise.all(writes)
    for (const id of ids) expect(await row(id)).to.include({ request_count: 20 })
  })

  it('writes nothing for no usage', async () => {
    await addUsage(database.db, [])
    expect(await listDailyUsage(database.db, [], '2026-01-01')).to.have.property('size', 0)
  })
})
