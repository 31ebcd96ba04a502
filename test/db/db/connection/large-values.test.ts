// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { addToResourceCounter } from '../../../../src/db/event/resource-counters.ts'
import { listResources } from '../../../../src/db/event/resource-lists.ts'
import { deleteResource, findResource, insertResource } from '../../../../src/db/event/resource-rows.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { ResourceRecord } from '../../../../src/domain/event/resources.ts'
import { presentListedResource, presentResource } from '../../../../src/presenters/resources.ts'
import { toJson } from '../../../../src/presenters/stored-json.ts'
import { statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

const PAGE = { limit: 100, page: 1 }
/** Inline values between large ones. Several large values make a slice, and one is a slice of its own. */
const SIZES_KIB = [1, 100, 2, 100, 100, 100, 1_200, 0, 3, 200]

// decision: Large values of a list are read in slices
describe('a page with small and large values', () => {
  const its = useOperations()
  const { tenant } = its

  /** Newest first, as the list shows them. */
  async function insertContacts(sizesKib: readonly number[]): Promise<ResourceRecord[]> {
    const { db } = its.database
    const contacts = sizesKib.map((kib, n): ResourceRecord => {
      const at = new Date(1_000_000 - n)
      const fields = { name: `ü "${n}"`, email: null, phone: null, custom: { text: 'é'.repeat(kib * 512) } }
      return { id: newId('contact'), family: 'contacts', fields, revision: 1, createdAt: at, updatedAt: at }
    })
    for (const contact of contacts) await insertResource(db, tenant(), contact)
    await addToResourceCounter(db, tenant(), 'contacts', contacts.length)
    return contacts
  }

  it('is counted as a whole before its large values are read, and shows each record as a GET does', async () => {
    const { db } = its.database
    const contacts = await insertContacts(SIZES_KIB)
    const rooms: number[] = []
    const makeRoom = (bytes: number) => Promise.resolve(void rooms.push(bytes))
    let shown: string[] = []
    const statements = await statementsOf(db, async () => {
      const { items, total } = await listResources(db, tenant(), 'contacts', PAGE, makeRoom)
      expect(total).to.equal(SIZES_KIB.length)
      shown = items.map((item) => toJson(presentListedResource(item)).toString())
    })
    const found = await Promise.all(contacts.map(({ id }) => findResource(db, tenant(), 'contacts', id)))
    expect(shown).to.deep.equal(found.map((record) => record && JSON.stringify(presentResource(record))))
    expect(rooms).to.have.length(1)
    const bytes = contacts.reduce((sum, { fields }) => sum + Buffer.byteLength(JSON.stringify(fields)), 0)
    expect(rooms[0]).to.equal(bytes)
    // The page, the counter, and slices of about 256 KiB: 200, 1200, 100 + 100, 100 + 100.
    expect(statements).to.have.length(2 + 4)
  })

  it('costs no more statements than before while its values are small', async () => {
    await insertContacts([1, 2, 3, 0, 3])
    const list = async () =>
      expect((await listResources(its.db, tenant(), 'contacts', PAGE)).items).to.have.length(5)
    expect(await statementsOf(its.db, list)).to.have.length(2)
  })

  it('reads nothing large when there is no room, and leaves out what is deleted meanwhile', async () => {
    const { db } = its.database
    const [first, second] = await insertContacts([200, 200])
    const refusal = new Error('no room')
    const refused = listResources(db, tenant(), 'contacts', PAGE, () => Promise.reject(refusal))
    expect(await refused.catch((error: unknown) => error)).to.equal(refusal)
    const { items } = await listResources(db, tenant(), 'contacts', PAGE, () =>
      deleteResource(db, tenant(), 'contacts', first?.id ?? ''),
    )
    expect(items.map(({ id }) => id)).to.deep.equal([second?.id])
  })
})
