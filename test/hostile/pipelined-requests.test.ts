import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { createHttpServer, type HttpServer } from '../../src/api/edge/http-server.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { untilIs } from '../support/poll.ts'

const requests = (...paths: readonly string[]) =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

describe('requests that a client sends before it has an answer', () => {
  let http: HttpServer
  let socket: Socket
  let text: string
  let begun: string[]
  /** The requests that the parser has read from the bytes. */
  let parsed: (string | undefined)[]
  let underWay: Map<string, ServerResponse>
  /** Answers when the test ends the request in `underWay`, or at once. */
  let isQuick: boolean
  beforeEach(async () => {
    begun = []
    parsed = []
    text = ''
    underWay = new Map()
    isQuick = false
    http = createHttpServer(async (request: IncomingMessage, response: ServerResponse) => {
      begun.push(request.url ?? '')
      underWay.set(request.url ?? '', response)
      let length = 0
      for await (const chunk of request) length += (chunk as Buffer).length
      if (isQuick) response.end(`answer to ${request.url} of ${length} bytes\n`)
      else await once(response, 'close')
    })
    http.server.prependListener('request', (request: IncomingMessage) => parsed.push(request.url))
    const { port } = await listenOnLoopback(http.server)
    socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.on('data', (chunk: string) => (text += chunk))
  })
  afterEach(async () => {
    socket.destroy()
    await http.stop(0)
  })
  const answers = () => [...text.matchAll(/answer to (\/\d+)/g)].map(([, path]) => path)
  const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)

  // decision: One request of a connection at a time
  it('are carried out one after the other, and not at all behind an answer that ends the connection', async () => {
    const closed = once(socket, 'close')
    socket.write(requests('/1', '/2', '/3', '/4'))
    for (const path of ['/1', '/2', '/3']) {
      await untilIs(() => begun.at(-1), path)
      // The event loop has handled all requests that were parsed together.
      await new Promise((resolve) => setImmediate(resolve))
      expect(begun.at(-1)).to.equal(path)
      if (path === '/3') underWay.get(path)?.setHeader('Connection', 'close')
      underWay.get(path)?.end(`answer to ${path}`)
    }
    await closed
    expect(begun).to.deep.equal(['/1', '/2', '/3'])
    expect(answers()).to.deep.equal(['/1', '/2', '/3'])
  })

  // decision: Requests that wait on a connection
  it('are not even parsed while the one before has no answer, and all answered in the end', async function () {
    const many = paths(5_000)
    socket.write(requests(...many))
    await untilIs(() => begun.length, 1)
    // Node answers this request after the earlier ones.
    const other = connect((await listenOnLoopback(http.server)).port, '127.0.0.1')
    other.write(requests('/other'))
    await untilIs(() => begun.includes('/other'), true)
    other.destroy()
    this.runnable().title += ` (${parsed.length - 1} of ${many.length} parsed)`
    expect(parsed).to.deep.equal(['/0', '/other'])
    isQuick = true
    underWay.get('/0')?.end('answer to /0')
    await untilIs(() => answers().length, many.length)
    expect(answers()).to.deep.equal(many)
  })

  // decision: Requests that wait on a connection
  it('are answered with bodies of any length between them', async () => {
    isQuick = true
    const lengths = [0, 1, 255, 256, 257, 2_047, 2_048, 2_049, 200_000, 70_000, 3]
    const posts = Array.from({ length: 48 }, (_, index) => lengths[index % lengths.length]!)
    for (const [index, length] of posts.entries())
      socket.write(
        `POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
      )
    await untilIs(() => answers().length, posts.length)
    expect([...text.matchAll(/of (\d+) bytes/g)].map(([, length]) => Number(length))).to.deep.equal(posts)
  })

  // decision: Requests that wait on a connection
  it('are answered when the client sends nothing more behind them', async () => {
    isQuick = true
    const many = paths(500)
    socket.end(requests(...many))
    await once(socket, 'close')
    expect(answers()).to.deep.equal(many)
  })

  // decision: Requests that wait on a connection
  it('keep no connection open at a stop behind the latest that was read', async () => {
    socket.write(requests(...paths(5_000)))
    await untilIs(() => begun.length, 1)
    const stopped = http.stop(60_000)
    isQuick = true
    underWay.get('/0')?.end('answer to /0')
    await stopped
    expect(parsed).to.deep.equal(['/0'])
  })
})
