import { expect } from 'chai'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { usePrograms } from '../../docs/receiving-programs.ts'
import { verdictOf, type Json, createContact } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const CONTACTS = '/api-v1-contacts'

describe('lists of records by cursor', function () {
  this.timeout(60_000)
  const use = useStack('quiet')
  const get = async (url: string): Promise<Json> => {
    const { status, body } = await use.tenant.request('GET', url)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const createSome = async (count: number): Promise<string[]> => {
    const created: string[] = []
    for (let n = 0; n < count; n++) created.push((await createContact(use.tenant, `${n}`)).id)
    return created
  }

  // decision: Copying lists
  it('refuse a page beside a cursor, and the cursor of another company', async () => {
    await createSome(2)
    const { pagination } = await get(`${CONTACTS}?limit=1&cursor=start`)
    for (const [tenant, query] of [
      [use.tenant, 'cursor=start&page=1'],
      [await use.stack.tenant(), `cursor=${pagination.next_cursor}`],
    ] as const)
      expect(verdictOf(await tenant.request('GET', `${CONTACTS}?${query}`))).to.equal('400 VALIDATION_ERROR')
  })

  describe('and the program of docs/api-clients.md', () => {
    const dir = usePrograms('docs/api-clients.md')

    /** A table in memory with atomic transactions. */
    function createTable() {
      let kept = { rows: new Map<string, { revision: number; record: Json }>(), place: undefined as unknown }
      let draft = kept
      return {
        records: () => [...kept.rows.values()].flatMap(({ record }) => (record === null ? [] : [record])),
        place: () => kept.place,
        revisionOf: (id: string) => draft.rows.get(id)?.revision,
        put: (id: string, revision: number, record: Json) => void draft.rows.set(id, { revision, record }),
        keepPlace: (place: unknown) => void (draft.place = structuredClone(place)),
        async transaction(work: () => Promise<void>) {
          draft = { ...kept, rows: new Map(kept.rows) }
          await work()
          kept = draft
        },
      }
    }

    // decision: Copying lists
    it('end with the same records, although they change between the parts and the program is cut off after each', async () => {
      const { copyThenFollow } = (await import(pathToFileURL(path.join(dir.path, 'copy.mjs')).href)) as {
        copyThenFollow: (get: (path: string) => Promise<Json>, table: object) => Promise<never>
      }
      const request = (method: string, id: string, body?: object) =>
        use.tenant.request(method, `${CONTACTS}/${id}`, body)
      const ids = await createSome(110)
      const [first, early, late, last] = [ids[0]!, ids[1]!, ids[105]!, ids[109]!]
      const changes = [
        () => request('PATCH', first, { phone: '1' }),
        () => request('DELETE', early),
        () => request('PATCH', late, { phone: '2' }).then(() => request('DELETE', late)),
        () => request('PATCH', last, { phone: '3' }),
        () => createSome(2).then(([gone]) => request('DELETE', gone!)),
        () => use.tenant.request('POST', '/api-v1-tasks', { name: 'a' }),
      ]
      const table = createTable()
      const seen = { isAtEnd: false }
      while (!seen.isAtEnd) {
        let answers = 0
        const getOnce = async (url: string) => {
          if (answers++ === 1) throw new Error('cut off')
          const answer = await get(url.replace('wait=30', 'wait=0'))
          seen.isAtEnd = changes.length === 0 && url.includes('/feed?') && !answer.pagination.has_more
          await changes.shift()?.()
          return answer
        }
        expect(await copyThenFollow(getOnce, table).catch(String)).to.equal('Error: cut off')
      }
      const shown = await Promise.all([get(`${CONTACTS}?limit=100`), get(`${CONTACTS}?limit=100&page=2`)])
      const tasks = await get('/api-v1-tasks')
      expect(table.records()).to.have.deep.members([...shown, tasks].flatMap(({ data }) => data))
      expect(table.records()).to.have.length(110 - 2 + 1 + 1)
    })
  })
})
