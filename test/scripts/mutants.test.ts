import { expect } from 'chai'
import { countMutants, tableOf } from '../../scripts/mutants/table.mjs'
import { testsOf } from '../../scripts/mutants/tests-of.mjs'

describe('npm run test:mutants', () => {
  it('counts by folder what tests noticed, of all mutants and of those that a test reaches', () => {
    const statuses = ['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored']
    const files = {
      'src/a.ts': { mutants: statuses.map((status) => ({ status })) },
      'src/b.ts': { mutants: [] },
    }
    const counts = countMutants('src', { files })
    expect(counts).to.deep.equal({ name: 'src', killed: 3, survived: 1, notReached: 1 })
    const none = countMutants('src/empty', { files: {} })
    const rows = tableOf([counts, none]).split('\n')
    expect(rows.map((row) => row.trim().split(/ {2,}/))).to.deep.equal([
      ['folder', 'mutants', 'killed', 'survived', 'not reached', '% of all', '% of reached'],
      ['src', '5', '3', '1', '1', '60.0', '75.0'],
      ['src/empty', '0', '0', '0', '0', '-', '-'],
      ['all', '5', '3', '1', '1', '60.0', '75.0'],
    ])
  })

  it('tries a file with the tests whose imports lead to it, and imports of types do not', async () => {
    expect(await testsOf(new Set(['src/domain/user/second-factor.ts']))).to.deep.equal([
      'test/unit/domain/user/second-factor.test.ts',
    ])
    // check-fields reaches it through the bodies of webhooks; usage imports only a type of its room.
    const tests = await testsOf(new Set(['src/domain/net/networks.ts']))
    expect(tests).to.include('test/unit/domain/fields/check-fields.test.ts')
    expect(tests).to.not.include('test/unit/domain/key/usage.test.ts')
  })
})
