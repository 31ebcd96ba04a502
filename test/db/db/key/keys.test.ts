// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { findKey, lockKey, markRotated, revokeKeys, updateKey } from '../../../../src/db/key/keys.ts'
import { listKeys, listReplacedKeys } from '../../../../src/db/key/lists.ts'
import { findRecent, addUsage, listDayCounts } from '../../../../src/db/key/usage-rows.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { recentUse, type KeyUsage, NO_COUNTS } from '../../../../src/domain/key/usage.ts'
import { explain, statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const LATER = new Date('2026-03-02T00:00:00.000Z')

describe('keys in the database', () => {
  const its = useOperations()
  const company = () => its.keyring.companyId

  const find = async (id: string) => (await findKey(its.db, company(), id))?.key

  it('are found, changed, rotated and revoked by their own company alone', async () => {
    const key = (await find((await its.keyring.create()).id))!
    const other = newId('company')
    const found = [await findKey(its.db, other, key.id), await lockKey(its.db, other, key.id)]
    expect([...found, await listKeys(its.db, other)]).to.deep.equal([undefined, undefined, []])
    await updateKey(its.db, other, key.id, { name: 'theirs', isActive: false }, LATER)
    const rotation = { rotatedTo: newId('apiKey'), expiresAt: LATER, now: NOW }
    await markRotated(its.db, other, key.id, rotation)
    const revoked = await revokeKeys(its.db, other, { id: key.id }, { reason: 'theirs', now: LATER })
    expect(revoked).to.deep.equal([])
    expect(await find(key.id)).to.deep.equal(key)
  })

  it('are found by an index when a list asks which old keys they replace', async () => {
    const ids = [newId('apiKey')]
    const [statement] = await statementsOf(its.db, () => listReplacedKeys(its.db, company(), ids))
    const [plan] = await explain(its.db, statement!, [company(), true, ...ids])
    expect(plan).to.include({ key: 'api_keys_replacement' })
  })

  describe('and their usage', () => {
    const usage = (keyId: string, at: string, address: string): KeyUsage => ({
      keyId,
      latest: { at: new Date(at), address },
      days: new Map([[at.slice(0, 10), { ...NO_COUNTS, requests: 1, responses4xx: 1 }]]),
      recent: recentUse(new Date(at), { address, endpoint: `GET /from/${address}` }),
    })
    const row = (id: string) =>
      its.db('api_keys').where({ id }).first('request_count', 'last_used_at', 'last_used_ip')

    // decision: Usage
    it('counts every request, and keeps the latest time and the 20 latest addresses, when many processes write the same keys at once', async () => {
      const keys = await Promise.all(Array.from({ length: 5 }, () => its.keyring.create()))
      const ids = keys.map(({ id }) => id)
      const gone = newId('apiKey')
      const writes = Array.from({ length: 25 }, (_, round) => {
        const shuffled = [...ids.slice(round % 5), gone, ...ids.slice(0, round % 5)]
        const at = `2026-03-02T12:00:${String(34 - round)}.000Z`
        const written = shuffled.map((id) => usage(id, at, `192.0.2.${round}`))
        return addUsage(its.db, written)
      })
      await Promise.all(writes)
      const last = { last_used_at: new Date('2026-03-02T12:00:34.000Z'), last_used_ip: '192.0.2.0' }
      const latest = Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`)
      for (const id of ids) {
        expect(await row(id)).to.deep.equal({ request_count: 25, ...last })
        const counts = new Map([['2026-03-02', { ...NO_COUNTS, requests: 25, responses4xx: 25 }]])
        expect(await listDayCounts(its.db, company(), id, '2026-03-01')).to.deep.equal(counts)
        const { addresses, endpoints, minutes } = (await findRecent(its.db, company(), id))!
        expect([...addresses.keys()]).to.have.members(latest)
        expect([...endpoints.keys()]).to.have.members(latest.map((address) => `GET /from/${address}`))
        expect([...minutes.values()]).to.deep.equal([25])
      }
      expect(await findRecent(its.db, company(), gone), 'a key that is gone').to.equal(undefined)
    })
  })
})
