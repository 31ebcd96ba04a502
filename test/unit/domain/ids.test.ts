import { expect } from 'chai'
import { COMMAND_LINE, SYSTEM, TEMPORAL } from '../../../src/domain/actor.ts'
import * as ids from '../../../src/domain/ids.ts'
import { tenantKey } from '../../../src/domain/tenant.ts'

describe('ids', () => {
  // decision: Ids are in the order of time
  it('are in the order in which they were made, also within one millisecond, and tell when, unless they are random as those of 0.2.0', () => {
    const made = Array.from({ length: 1_000 }, () => ids.newId('delivery'))
    expect(made).to.deep.equal([...new Set(made)].sort())
    const beforeMs = Date.now()
    const madeMs = ids.madeAt(ids.newId('delivery'))?.getTime()
    // The generator's clock may run slightly ahead when it makes many ids within a millisecond.
    expect(madeMs).to.be.within(beforeMs, Date.now() + 10)
    expect(ids.madeAt('del_019a0b1c-2d3e-7000-8000-000000000000')?.getTime()).to.equal(0x019a0b1c2d3e)
    expect(ids.madeAt('del_019a0b1c-2d3e-4000-8000-000000000000')).to.equal(undefined)
    expect(ids.madeAt('')).to.equal(undefined)
  })

  const entities = Object.keys(ids.ID_PREFIXES) as ids.Entity[]
  for (const entity of entities)
    it(`makes ids of ${entity} that no other entity accepts`, () => {
      const id = ids.newId(entity)
      expect(entities.filter((other) => ids.isId(other, id))).to.deep.equal([entity])
    })

  // decision: Unknown, foreign and malformed ids
  it('refuses what a collation would take for the same id', () => {
    const id = ids.newId('webhook')
    for (const text of [id.toUpperCase(), `${id} `, `x${id}`, id.slice(4), `${id}\n`, '0', ''])
      expect(ids.isId('webhook', text), JSON.stringify(text)).to.equal(false)
  })

  // The specification names the first four prefixes. The others are our decision, and clients store them.
  it('has a prefix for each entity', () => {
    const prefixes = 'com usr key whk del evt con org deal task act rec ntc ntb mai flt lnk nch'
    expect(Object.values(ids.ID_PREFIXES).join(' ')).to.equal(prefixes)
  })

  it('names in the audit what acts without an id, and gives each tenant a text of its own', () => {
    const actors = [{ id: 'system' }, { id: 'cli' }, { id: 'temporal' }]
    expect([SYSTEM, COMMAND_LINE, TEMPORAL]).to.deep.equal(actors)
    expect(tenantKey({ companyId: 'com_1', environment: 'live' })).to.equal('com_1 live')
  })

  it('keeps the ids of test events out of reach of clients', () => {
    expect(ids.newTestEventId()).to.match(/^evt_test_[0-9a-f-]{36}$/)
    for (const [id, isOfClient, isOfEvent] of [
      ['evt_order-1_created', true, true],
      [`evt_${'a'.repeat(64)}`, true, true],
      [ids.newTestEventId(), false, true],
      [`evt_${'a'.repeat(65)}`, false, false],
      ...['evt_', 'evt_a.b', 'evt_a b', 'evt_a\n', 'xevt_a', 'whk_1'].map((text) => [text, false, false]),
    ] as [string, boolean, boolean][])
      expect([ids.isClientEventId(id), ids.isEventId(id)], id).to.deep.equal([isOfClient, isOfEvent])
  })
})
