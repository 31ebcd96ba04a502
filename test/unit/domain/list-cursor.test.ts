import { expect } from 'chai'
import * as cursors from '../../../src/domain/list-cursor.ts'

const MESSAGE = /^The cursor is not one of this list: send next_cursor of the page before/

describe('cursors of lists', () => {
  const place = { id: 'del_1', createdAt: new Date('2026-01-05T12:00:00.123Z') }
  const list = cursors.listFingerprint('deliveries', ['com_1 live'], undefined, place.createdAt)
  const read = (cursor: string | undefined, of = list, isId = (id: string) => id.startsWith('del_')) =>
    cursors.readPlaceCursor({ limit: 1, cursor }, of, isId)

  it('give the place back to their own list, which 12 characters tell, and none where there is no cursor', () => {
    expect(list).to.match(/^[\w-]{12}$/)
    expect(read(cursors.placeCursor(list, place))).to.deep.equal(place)
    expect(read(undefined)).to.equal(undefined)
  })

  // decision: Lists by cursor
  it('are refused by a list of other rows, or of the same rows with another filter', () => {
    const others = [
      cursors.listFingerprint('events', ['com_1 live'], undefined, place.createdAt),
      cursors.listFingerprint('deliveries', ['com_2 live'], undefined, place.createdAt),
      cursors.listFingerprint('deliveries', ['com_1 live'], 'whk_1', place.createdAt),
      cursors.listFingerprint('deliveries', ['com_1 live'], undefined, new Date(0)),
    ]
    for (const other of others) expect(() => read(cursors.placeCursor(list, place), other)).to.throw(MESSAGE)
  })

  it('are refused where a part of them is not what this list makes', () => {
    const moment = place.createdAt.toISOString()
    const wrong = [
      '',
      'nonsense',
      cursors.listCursor(moment, 'del_1'),
      cursors.listCursor(list, moment, 'evt_1'),
      cursors.listCursor(list, moment, 'del_1', 'more'),
      cursors.listCursor(list, 'yesterday', 'del_1'),
      cursors.listCursor(list, '2026-02-30T00:00:00.000Z', 'del_1'),
      cursors.listCursor(list, '+020000-01-01T00:00:00.000Z', 'del_1'),
      Buffer.from(JSON.stringify([list, moment, 1])).toString('base64url'),
      Buffer.from('null').toString('base64url'),
    ]
    for (const cursor of wrong)
      expect(() => read(cursor), cursor)
        .to.throw(MESSAGE)
        .with.property('code', 'VALIDATION_ERROR')
  })

  it('lead to the next page while there is one', () => {
    const page = (...rows: number[]) => cursors.cursorPage(rows, 3, (last) => `after ${last}`)
    expect(page(1, 2, 3, 4)).to.deep.equal({ items: [1, 2, 3], limit: 3, nextCursor: 'after 3' })
    expect(page(1, 2, 3)).to.deep.equal({ items: [1, 2, 3], limit: 3, nextCursor: null })
    expect(page()).to.deep.equal({ items: [], limit: 3, nextCursor: null })
    const places = ['a', 'b', 'c'].map((id) => ({ id, createdAt: place.createdAt }))
    const found = [{ id: 'c' }, { id: 'a' }]
    const joined = {
      items: [{ id: 'a' }, { id: 'c' }],
      limit: 3,
      nextCursor: cursors.placeCursor(list, place),
    }
    expect(cursors.pageOfPlaces(list, { places, next: place }, found, 3)).to.deep.equal(joined)
    expect(cursors.pageOfPlaces(list, { places, next: undefined }, found, 3).nextCursor).to.equal(null)
  })
})
