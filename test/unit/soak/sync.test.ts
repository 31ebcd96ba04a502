import { expect } from 'chai'
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { FileTable } from '../../../soak/sync/file-table.ts'
import { compareCopy } from '../../../soak/sync/records.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

describe('the account of npm run drill:sync', () => {
  const dir = useTemporaryDirectory()

  it('tells what is different, missing and left over', () => {
    const table = new Map(Object.entries({ a: { name: 'a' }, b: { name: 'b' }, c: {}, d: {} }))
    const held = (record: unknown) => ({ revision: 1, record })
    const rows = {
      a: held({ name: 'a' }),
      b: held({ name: 'old' }),
      c: held(null),
      e: held({}),
      f: held(null),
    }
    const compared = compareCopy(table, new Map(Object.entries(rows)))
    expect(compared).to.deep.equal({ same: ['a'], different: ['b'], missing: ['c', 'd'], extra: ['e'] })
  })

  it('goes on from the last transaction that was written whole', async () => {
    const file = path.join(dir.path, 'copy.lines')
    const table = new FileTable(file)
    for (const revision of [1, 2])
      await table.transaction(() => {
        table.put('a', revision, { revision })
        table.keepPlace(`place ${revision}`)
        return Promise.resolve()
      })
    appendFileSync(file, '\n{"rows":[["a",{"revision":3')
    const again = new FileTable(file)
    expect([again.revisionOf('a'), again.place()]).to.deep.equal([2, 'place 2'])
  })
})
