import { expect } from 'chai'
import { StoredJson, toJson } from '../../src/presenters/stored-json.js'

const stored = (text: string) => new StoredJson(Buffer.from(text))

describe('stored JSON in an answer', () => {
  it('stands in its place, byte by byte as it was stored', () => {
    const value = {
      data: [{ id: 'a', payload: stored('{"z":1.0,"a":"\\u00fc ✓"}') }, { payload: stored('[ 1e2 ]') }, null],
      last: stored('"$&"'),
      text: 'ü',
    }
    expect(toJson(value).toString()).to.equal(
      '{"data":[{"id":"a","payload":{"z":1.0,"a":"\\u00fc ✓"}},{"payload":[ 1e2 ]},null],"last":"$&","text":"ü"}',
    )
  })

  it('changes nothing about an answer without it', () => {
    const value = { list: [1, 'two', null, { three: undefined }], date: new Date(0) }
    expect(toJson(value).toString()).to.equal(JSON.stringify(value))
  })

  it('is its value to any other serialiser, also after one that failed', () => {
    const circular: Record<string, unknown> = { payload: stored('{"a":1}') }
    circular['self'] = circular
    expect(() => toJson(circular)).to.throw(TypeError)
    expect(JSON.stringify({ payload: stored('{"a": 1}') })).to.equal('{"payload":{"a":1}}')
  })

  it('is not read on its way', () => {
    expect(toJson({ payload: stored('no JSON at all') }).toString()).to.equal('{"payload":no JSON at all}')
  })
})
