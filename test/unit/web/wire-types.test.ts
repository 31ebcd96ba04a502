import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { WIRE_TYPES, wireTypes } from '../../../scripts/wire-types.mjs'

describe('the types of what the console sends and gets', () => {
  // decision: Types of the console's wire
  it('are those of the schemas', async () => {
    expect(await readFile(WIRE_TYPES, 'utf8'), 'npm run wire-types writes them').to.equal(await wireTypes())
  })
})
