import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { listenOnLoopback } from '../../support/loopback.ts'
import { OperatorPost, type PostResult } from '../../../src/sending/operator-post.ts'
import { createCertificate, type Certificate } from '../../support/certificates.ts'
import { answer, startRawEndpoint, writeForever, type RawEndpoint } from '../../support/raw-endpoint.ts'

// decision: What NOTICE_URL may be
describe('a POST to an address of the operator', () => {
  const cleanUps: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
  })

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    cleanUps.push(
      () => server.close(),
      () => server.closeAllConnections(),
    )
    return `${(await listenOnLoopback(server)).url}/notices?from=us`
  }
  type Given = { readonly ca?: string; readonly stopped?: AbortSignal; readonly timeoutMs?: number }
  function send(url: string, { ca, stopped, timeoutMs = 60_000 }: Given = {}): Promise<PostResult> {
    const post = new OperatorPost({ timeoutMs, ca })
    cleanUps.push(() => post.close())
    const request = { url, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"a":1}') }
    return post.send(request, stopped ?? new AbortController().signal)
  }
  const answered = (status: number): PostResult => ({ kind: 'answered', status })

  it('reaches this machine over plain HTTP, with path, headers and body as they are given, and follows no redirect', async () => {
    const seen: unknown[] = []
    const url = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => {
        seen.push([request.method, request.url, request.headers['content-type'], chunk.toString()])
        response.writeHead(302, { location: '/elsewhere' }).end()
      })
    })
    expect(await send(url)).to.deep.equal(answered(302))
    expect(seen).to.deep.equal([['POST', '/notices?from=us', 'application/json', '{"a":1}']])
  })

  it('takes the status, however long the rest of the answer is or takes', async () => {
    const endless = await serve((_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue
      }
      response.writeHead(200).on('drain', write)
      write()
    })
    expect(await send(endless)).to.deep.equal(answered(200))
    // Client and server run in this process, so the client reads the status before the timer ends.
    const stop = new AbortController()
    const slow = await serve((_request, response) => {
      response.writeHead(200).write('a', () => setTimeout(() => stop.abort(), 100))
    })
    expect(await send(slow, { stopped: stop.signal })).to.deep.equal(answered(200))
  })

  it('is over in time, or when it is stopped, or names the code of an error, and no address', async () => {
    const url = await serve(() => undefined)
    for (const given of [{ timeoutMs: 200 }, { stopped: AbortSignal.abort() }])
      expect(await send(url, given)).to.deep.equal({ kind: 'unreachable', reason: 'timeout' })
    expect(await send('http://127.0.0.1:1/')).to.deep.equal({ kind: 'unreachable', reason: 'ECONNREFUSED' })
  })

  describe('over HTTPS', () => {
    let certificate: Certificate
    let endpoint: RawEndpoint
    before(async () => {
      certificate = await createCertificate(['127.0.0.1'])
      endpoint = await startRawEndpoint(certificate, (socket, index) => {
        if (index === 0) socket.write(answer(200))
        else {
          socket.write('HTTP/1.1 200 OK\r\nx: ')
          writeForever(socket, 'x'.repeat(16_384))
        }
      })
    })
    after(() => endpoint.close())

    it('verifies the certificate, trusts the operator’s own authority, and reads no headers without end', async () => {
      expect(await send(endpoint.url)).to.have.property('kind', 'unreachable')
      expect(endpoint.requests).to.deep.equal([])
      expect(await send(endpoint.url, { ca: certificate.cert })).to.deep.equal(answered(200))
      const result = await send(endpoint.url, { ca: certificate.cert })
      expect(result).to.deep.equal({ kind: 'unreachable', reason: 'UND_ERR_HEADERS_OVERFLOW' })
    })
  })
})
