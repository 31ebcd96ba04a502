import { expect } from 'chai'
import { insertRows, NOTHING, rawSql, sql } from '../../../../src/db/connection/statements.ts'

describe('SQL that is written with its values', () => {
  it('has a ? for each value, in the order in which they stand there, whatever their texts say', () => {
    const at = new Date(0)
    const text = "'; DROP TABLE events"
    expect(sql`SELECT id FROM events WHERE id = ${text} AND created_at > ${at} LIMIT ${2}`).to.deep.equal({
      sql: 'SELECT id FROM events WHERE id = ? AND created_at > ? LIMIT ?',
      values: [text, at, 2],
    })
  })

  it('takes lists, of which an empty one fits nothing', () => {
    expect(sql`id IN (${['a', 'b']})`).to.deep.equal({ sql: 'id IN (?, ?)', values: ['a', 'b'] })
    expect(sql`id IN (${[]})`).to.deep.equal({ sql: 'id IN (NULL)', values: [] })
  })

  it('takes other SQL with the values of that in between', () => {
    const own = sql`company_id = ${'com'}`
    const both = sql`SELECT ${rawSql('id')} FROM keys WHERE id = ${'key'} AND ${own} ${NOTHING}AND type = ${null}`
    expect(both).to.deep.equal({
      sql: 'SELECT id FROM keys WHERE id = ? AND company_id = ? AND type = ?',
      values: ['key', 'com', null],
    })
  })

  it('begins with its first word, by which a limit of statements knows a SELECT', () =>
    expect(sql`\n  SELECT 1`.sql).to.equal('SELECT 1'))

  it('inserts rows by the names of their columns', () => {
    const rows = [
      { id: 'a', at: rawSql('NOW(3)') },
      { at: rawSql('NOW(3)'), id: 'b' },
    ]
    expect(insertRows('events', rows, sql`ON DUPLICATE KEY UPDATE id = ${'c'}`)).to.deep.equal({
      sql: 'INSERT INTO events (id, at) VALUES (?, NOW(3)), (?, NOW(3)) ON DUPLICATE KEY UPDATE id = ?',
      values: ['a', 'b', 'c'],
    })
  })
})
