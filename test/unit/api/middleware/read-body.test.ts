import { createServer, type Server } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { listenOnLoopback } from '../../../support/loopback.ts'
import Koa from 'koa'
import { readBody } from '../../../../src/api/middleware/read-body.ts'
import type { ApiError } from '../../../../src/domain/errors.ts'

const JSON_TYPE = 'application/json'

// decision: Text of bodies
// decision: Large numbers
describe('the body of a request', () => {
  let server: Server
  let url: string
  before(async () => {
    const app = new Koa()
    app.use(async (ctx) => {
      try {
        ctx.body = { read: await readBody(ctx) }
      } catch (error) {
        const { code, message } = error as ApiError
        ctx.body = { code, message }
      }
    })
    server = createServer(app.callback() as never)
    url = (await listenOnLoopback(server)).url
  })
  after(() => server.close())

  type Outcome = { read?: unknown; code?: string; message?: string }
  async function read(body: string | Buffer, type = JSON_TYPE, encoding?: string): Promise<Outcome> {
    const headers = { 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) }
    const answer = await fetch(url, { method: 'POST', headers, body: body as never })
    return (await answer.json()) as Outcome
  }

  it('is read as UTF-8, with or without a byte order mark, plain or packed, and where it is not packed as it says the refusal names that', async () => {
    const text = '{"näme":"✓ \\u00fc 🎉 \uFFFD"}'
    const value = { näme: '✓ ü 🎉 \uFFFD' }
    expect(await read(text)).to.deep.equal({ read: value })
    expect(await read(`\uFEFF${text}`)).to.deep.equal({ read: value })
    expect(await read(text, JSON_TYPE, 'Identity')).to.deep.equal({ read: value })
    for (const encoding of ['gzip', 'GZip', 'x-gzip'])
      expect(await read(gzipSync(text), JSON_TYPE, encoding), encoding).to.deep.equal({ read: value })
    for (const encoding of ['gzip', 'br'])
      expect((await read(text, JSON_TYPE, encoding)).message).to.include(
        'decoded as its Content-Encoding says',
      )
  })

  for (const [what, bytes] of [
    ['a lone byte', [0xff]],
    ['a cut sequence', [0xf0, 0x9f, 0x98]],
    ['an overlong sequence', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ] as const)
    it(`is refused with ${what} that is no UTF-8, in place of keeping something else`, async () => {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
      const message = 'The request body is not valid UTF-8.'
      expect(await read(body)).to.deep.equal({ code: 'VALIDATION_ERROR', message })
    })

  it('is refused with the key __proto__, also in escapes', async () => {
    for (const body of ['{"a":[{"__proto__":{"x":1}}]}', '{"\\u005f_proto__":1}'])
      expect(await read(body), body).to.have.property('code', 'VALIDATION_ERROR')
  })

  it('may name its charset once, and only UTF-8', async () => {
    expect(await read('{}', `${JSON_TYPE}; charset=utf-8`)).to.deep.equal({ read: {} })
    const wrong = ['charset=utf-8; charset=utf-16', 'charset=utf-8;charset=utf-8', 'CHARSET = x']
    const codes = wrong.map(async (parameters) => (await read('{}', `${JSON_TYPE}; ${parameters}`)).code)
    expect(await Promise.all(codes)).to.deep.equal(Array(3).fill('UNSUPPORTED_MEDIA_TYPE'))
  })

  it('keeps whole numbers up to 2^53 - 1 and fractions, and names the place of others by the beginning of a long name', async () => {
    const numbers = [9007199254740991, -9007199254740991, 0.1, 1.5e-300, 9007199254740991.0]
    expect(await read(JSON.stringify({ numbers }))).to.deep.equal({ read: { numbers } })
    const { message } = await read(`{"${'a'.repeat(100_000)}":{"b":1e999}}`)
    expect(message).to.have.length.below(400)
  })

  for (const [number, place, body] of [
    ['12345678901234567890', 'data.n', '{"data":{"n":12345678901234567890}}'],
    ['-9007199254740993', 'data.list[1].n', '{"data":{"list":[0,{"n":-9007199254740993}]}}'],
    ['1e999', 'n', '{"n":1e999}'],
  ] as const)
    it(`is refused with ${number}, which would change, and names its place`, async () => {
      const message = `The number at "${place}" would lose digits: whole numbers go to 9007199254740991, send larger ones as text.`
      expect(await read(body)).to.deep.equal({ code: 'VALIDATION_ERROR', message })
    })
})
