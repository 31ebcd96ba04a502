import { expect } from 'chai'
import {
  ID_PREFIXES,
  isClientEventId,
  isId,
  newId,
  newTestEventId,
  type Entity,
} from '../../src/domain/ids.js'

describe('ids', () => {
  // decision: Ids are in the order of time
  it('are in the order in which they were made, also within one millisecond', () => {
    const made = Array.from({ length: 1_000 }, () => newId('delivery'))
    expect(made).to.deep.equal([...new Set(made)].sort())
  })

  for (const entity of Object.keys(ID_PREFIXES) as Entity[]) {
    it(`makes ids of ${entity} that no other entity accepts`, () => {
      const id = newId(entity)
      expect(isId(entity, id)).to.equal(true)
      const others = (Object.keys(ID_PREFIXES) as Entity[]).filter((other) => other !== entity)
      expect(others.some((other) => isId(other, id))).to.equal(false)
    })
  }

  // decision: Unknown, foreign and malformed ids
  it('refuses what a collation would take for the same id', () => {
    const id = newId('webhook')
    for (const text of [id.toUpperCase(), `${id} `, id.slice(4), `${id}\n`, '0', '']) {
      expect(isId('webhook', text), JSON.stringify(text)).to.equal(false)
    }
  })

  it('keeps the ids of test events out of reach of clients', () => {
    expect(isClientEventId('evt_order-1_created')).to.equal(true)
    expect(isClientEventId(newTestEventId())).to.equal(false)
    expect(isClientEventId('evt_')).to.equal(false)
    expect(isClientEventId(`evt_${'a'.repeat(65)}`)).to.equal(false)
    expect(isClientEventId('evt_a.b')).to.equal(false)
  })
})
