import { expect } from 'chai'
import { UsageError } from '../../../../src/cli/command.ts'
import { formatForPeople, requireColumns } from '../../../../src/cli/people/format.ts'
import type { Style } from '../../../../src/cli/people/style.ts'

const PLAIN: Style = { isUtc: true, isColoured: false }
const show = (result: unknown, columns: readonly string[] = [], style = PLAIN): string =>
  formatForPeople(result, columns, style)

describe('results for people', () => {
  it('are an aligned table for a list, which names the cursor of the next page where there is one, and "none" for an empty one', () => {
    const first = { id: 'a', attempts: 1, max_attempts: 6, health: { state: 'ok' } }
    const rows = [first, { id: 'longer', attempts: 10, max_attempts: 11, health: null }]
    const list = (data: unknown[], columns: readonly string[] = [], next_cursor: string | null = null) =>
      show({ data, pagination: { next_cursor } }, columns)
    const table = ['id      attempts  health.state', 'a       1/6       ok', 'longer  10/11     -']
    expect(list(rows, ['id', 'attempts/max_attempts', 'health.state'])).to.equal(table.join('\n'))
    expect(list(rows, ['tries=attempts/max_attempts'])).to.equal('tries\n1/6\n10/11')
    expect(list([{ id: 'a' }], ['id'], 'abc')).to.equal('id\na\n\nThere are more: add --cursor abc')
    expect(list([])).to.equal('none')
  })

  // decision: Tables on a terminal
  it('fit the terminal: the widest column gives way, but ids stay whole', () => {
    const id = 'whk_0190f3a2-7c1e-7000-8000-000000000000'
    const data = [{ id, url: 'https://hooks.example.com/a/long/path', name: 'A name of a webhook' }]
    const lines = (width: number) =>
      show({ data, pagination: {} }, ['id', 'url', 'name'], { ...PLAIN, width }).split('\n')
    expect(lines(80)[1]).to.equal(`${id}  https://hooks.exa…  A name of a webho…`)
    expect(lines(80)[1]).to.have.length(80)
    expect(lines(20)[1]).to.equal(`${id}  https://hoo…  A name of a…`)
    expect(lines(1_000)[1]).to.include('/a/long/path')
  })

  it('have the columns that somebody names, or a sentence that names those there are', () => {
    const list = { data: [{ id: 'a', health: { state: 'ok' } }], pagination: {} }
    expect(() => requireColumns(list, ['health.state', 'id'])).not.to.throw()
    expect(() => requireColumns({ data: [], pagination: {} }, ['any'])).not.to.throw()
    const message = 'There is no column "health.nope". There are: id, health.state.'
    expect(() => requireColumns(list, ['id', 'health.nope'])).to.throw(UsageError, message)
  })

  it('are one line for each field of a record, with the list in it as a table', () => {
    const record = { id: 'a', none: null, usage: { day: 1 }, tags: ['x', 'y'], log: [{ number: 1 }] }
    const lines = 'id:        a|none:      -|usage.day: 1|tags:      x, y||log:|number|1'
    expect(show(record, ['number']).split('\n')).to.deep.equal(lines.split('|'))
  })

  it('have a table too for a list deep in a record that the command names, and leave others on their line', () => {
    const rows = [{ date: 'a' }, { date: 'b' }]
    const record = { usage: { day: 1, daily: rows }, payload: { items: [{ date: 'c', sku: 'd' }] } }
    const lines = 'usage.day:     1|payload.items: c d||usage.daily:|date|a|b'
    const shown = formatForPeople(record, ['date'], PLAIN, ['usage.daily'])
    expect(shown.split('\n')).to.deep.equal(lines.split('|'))
    expect(formatForPeople(record, ['id'], PLAIN, ['usage.daily'])).to.include('usage.daily:   a, b')
    const message = 'There is no column "sku". There are: date.'
    expect(() => requireColumns(record, ['sku'], ['usage.daily'])).to.throw(UsageError, message)
  })

  // decision: Times for people
  it('show times in the zone of the machine with its offset, or in UTC', () => {
    const at = '2026-01-31T12:00:00.000Z'
    const zone = process.env['TZ']
    try {
      process.env['TZ'] = 'Asia/Kolkata'
      expect(show({ at }, [], { ...PLAIN, isUtc: false })).to.equal('at: 2026-01-31 17:30:00 +05:30')
      expect(show({ at })).to.equal('at: 2026-01-31 12:00:00Z')
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  // decision: Text of customers on a terminal
  it('never pass control characters of a customer to the terminal, and cut long text', () => {
    const shown = show({ name: 'a\u001b[31m\nb\u009bc\u202ed', body: 'x'.repeat(1_000) })
    expect(shown.replaceAll('\n', '')).to.not.match(/[\p{Cc}\u202e]/u)
    expect(shown.split('\n')).to.have.length(2)
    expect(shown.length).to.be.below(400)
  })

  it('colour states only, and only where colours are wanted', () => {
    const rows = [{ id: 'failed job', status: 'failed' }]
    const coloured = show(rows, ['id', 'status'], { ...PLAIN, isColoured: true })
    expect(coloured).to.include('\u001b[31mfailed\u001b[39m').and.not.include('\u001b[31mfailed job')
    expect(show(rows, ['id', 'status'])).to.not.include('\u001b')
  })
})
