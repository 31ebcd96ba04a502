import { expect } from 'chai'
import * as cursors from '../../../src/domain/list-cursor.ts'
import * as searches from '../../../src/domain/search.ts'

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
      ...['', 'nonsense'],
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
    const full = { items: [1, 2, 3], limit: 3, nextCursor: null }
    expect(page(1, 2, 3, 4)).to.deep.equal({ ...full, nextCursor: 'after 3' })
    expect([page(1, 2, 3), page()]).to.deep.equal([full, { ...full, items: [] }])
    const places = ['a', 'b', 'c'].map((id) => ({ id, createdAt: place.createdAt }))
    const found = [{ id: 'c' }, { id: 'a' }]
    const joined = { items: found.toReversed(), limit: 3, nextCursor: cursors.placeCursor(list, place) }
    expect(cursors.pageOfPlaces(list, { places, next: place }, found, 3)).to.deep.equal(joined)
    expect(cursors.pageOfPlaces(list, { places, next: undefined }, found, 3).nextCursor).to.equal(null)
  })
})

describe('a search', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  const now = at(20)

  it('is for a text or a record, through the window that is given, or for a text through 7 days before its end', () => {
    expect([{}, { text: 'a' }, { record: 'a' }].map(searches.isSearch)).to.deep.equal([false, true, true])
    for (const [terms, window, since, until] of [
      [{ text: 'abc' }, {}, at(13), now],
      [{ text: 'abc' }, { createdBefore: at(10) }, at(3), at(10)],
      [{ text: 'abc' }, { createdAfter: at(1) }, at(1), now],
      [{ record: 'a' }, {}, undefined, now],
      [{ record: 'a' }, { createdAfter: at(1), createdBefore: at(10) }, at(1), at(10)],
    ] as const)
      expect(searches.windowOf(terms, window, now)).to.deep.equal({ since, until })
  })

  it('goes on by a cursor that keeps its window, and takes none of another list or of what it does not walk', () => {
    const before = { createdAt: at(5), id: 'evt_1' }
    const within = { createdAt: at(6), id: 'del_1' }
    const startsWith = (prefix: string) => (id: string) => id.startsWith(prefix)
    const isIdOf = { before: startsWith('evt_'), within: startsWith('del_') }
    const read = (cursor?: string) => searches.readSearchCursor({ limit: 1, cursor }, 'list', isIdOf)
    const window = { since: at(1), until: at(10) }
    expect(read()).to.equal(undefined)
    for (const [of, position] of [
      [window, { before, within }],
      [{ ...window, since: undefined }, { before }],
      [window, { within }],
    ] as [typeof window, searches.SearchPosition][]) {
      const place = { before: undefined, within: undefined, ...position }
      expect(read(searches.searchCursor('list', of, position))).to.deep.equal({ ...of, ...place })
    }
    const [until, day, whole] = [at(10).getTime().toString(36), at(5).getTime().toString(36), 'list']
    for (const cursor of [
      ...['', 'x'],
      searches.searchCursor('other', window, { before }),
      searches.searchCursor('list', window, {}),
      searches.searchCursor('list', window, { before: within }),
      searches.searchCursor('list', window, { within: before }),
      cursors.listCursor(whole, '', '', day, 'evt_1', '', ''),
      cursors.listCursor(whole, '', until, '', 'evt_1', '', ''),
      cursors.listCursor(whole, '', until, day, '', '', ''),
      cursors.listCursor(whole, '', until, day, 'evt_1'),
    ])
      expect(() => read(cursor), cursor).to.throw(MESSAGE)
  })
})
