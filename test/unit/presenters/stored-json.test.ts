import { expect } from 'chai'
import { StoredJson, toJson, toJsonInSlices } from '../../../src/presenters/stored-json.ts'

const stored = (text: string) => new StoredJson(Buffer.from(text))

// decision: Payloads in answers
describe('stored JSON in an answer', () => {
  it('stands in its place, byte by byte as it was stored, and is not read on its way', () => {
    const value = {
      data: [{ id: 'a', payload: stored('{"z":1.0,"a":"\\u00fc ✓"}') }, { payload: stored('[ 1e2 ]') }, null],
      last: stored('"$&"'),
      text: 'ü',
    }
    const data = '[{"id":"a","payload":{"z":1.0,"a":"\\u00fc ✓"}},{"payload":[ 1e2 ]},null]'
    expect(toJson(value).toString()).to.equal(`{"data":${data},"last":"$&","text":"ü"}`)
    expect(toJson({ payload: stored('no JSON at all') }).toString()).to.equal('{"payload":no JSON at all}')
  })

  it('changes nothing about an answer without it, and is its value to any other serialiser, also after one that failed', () => {
    const value = { list: [1, 'two', null, { three: undefined }], date: new Date(0) }
    expect(toJson(value).toString()).to.equal(JSON.stringify(value))
    const circular: Record<string, unknown> = { payload: stored('{"a":1}') }
    circular['self'] = circular
    expect(() => toJson(circular)).to.throw(TypeError)
    expect(JSON.stringify({ payload: stored('{"a": 1}') })).to.equal('{"payload":{"a":1}}')
  })

  // decision: Large values of a list are read in slices
  it('is written in a list as in any other answer, and a large list lets other requests run in between', async () => {
    const page = (...data: readonly unknown[]) => ({ data, pagination: { total: data.length } })
    const item = { text: 'ü"', payload: stored('{"z": 1.0}') }
    const values = [page(), page(item), page(item, null, 'x'), { data: [item] }, { data: item }, [item], null]
    for (const value of values)
      expect((await toJsonInSlices(value)).toString()).to.equal(toJson(value).toString())
    const others: string[] = []
    setImmediate(() => others.push('other'))
    await toJsonInSlices(page(item, item))
    expect(others, 'served before a small list').to.deep.equal([])
    const large = page(...Array.from({ length: 40 }, () => ({ payload: stored(`"${'x'.repeat(100_000)}"`) })))
    setImmediate(() => setImmediate(() => others.push('during a large list')))
    expect((await toJsonInSlices(large)).equals(toJson(large))).to.equal(true)
    expect(others).to.include('during a large list')
  })
})
