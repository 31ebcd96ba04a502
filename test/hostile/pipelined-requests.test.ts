import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { createHttpServer } from '../../src/api/edge/http-server.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { untilIs } from '../support/poll.ts'

const requests = (...paths: readonly string[]) =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

describe('requests that a client sends before it has an answer', () => {
  // decision: One request of a connection at a time
  it('are carried out one after the other, and not at all behind an answer that ends the connection', async () => {
    const begun: string[] = []
    const underWay = new Map<string, ServerResponse>()
    const http = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
      begun.push(request.url ?? '')
      underWay.set(request.url ?? '', response)
      return once(response, 'close')
    })
    const { port } = await listenOnLoopback(http.server)
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    const closed = once(socket, 'close')
    socket.write(requests('/1', '/2', '/3', '/4'))
    for (const path of ['/1', '/2', '/3']) {
      await untilIs(() => begun.at(-1), path)
      // The event loop has handled whatever else was parsed with it.
      await new Promise((resolve) => setImmediate(resolve))
      expect(begun.at(-1)).to.equal(path)
      if (path === '/3') underWay.get(path)?.setHeader('Connection', 'close')
      underWay.get(path)?.end(`answer to ${path}`)
    }
    await closed
    expect(begun).to.deep.equal(['/1', '/2', '/3'])
    expect([...text.matchAll(/answer to (\/\d)/g)].map(([, path]) => path)).to.deep.equal(['/1', '/2', '/3'])
    await http.stop(0)
  })
})
