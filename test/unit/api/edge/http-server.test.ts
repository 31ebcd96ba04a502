import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createHttpServer } from '../../../../src/api/edge/http-server.ts'
import { lastBody, sendRaw } from '../../../support/raw-http.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n'

describe('slow bodies', () => {
  let server: Server
  let port: number
  before(async () => {
    // Reads to the end before it answers, as the api does.
    server = createHttpServer((request, response) => {
      request.resume().on('end', () => response.end())
    }).server
    expect(server.requestTimeout).to.equal(30_000)
    server.headersTimeout = 500 // Node takes the longer of the two for the whole request.
    server.requestTimeout = 500
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  it('answers 408 in the envelope to a body that stops', async () => {
    const answer = await sendRaw(`http://127.0.0.1:${port}`, `${HEAD}{"name":`)
    expect(answer.statuses).to.deep.equal([408])
    expect(lastBody(answer)).to.have.nested.property('error.code', 'REQUEST_TIMEOUT')
  })

  it('disconnects a client that sends byte after byte, however steadily', async () => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    // Writing on while the server closes is an error of the socket, and what is tested here.
    socket.on('error', () => undefined)
    socket.write(HEAD)
    const drip = setInterval(() => socket.write('a'), 50)
    await once(socket, 'close')
    clearInterval(drip)
    expect(text).to.match(/^HTTP\/1\.1 408 /)
  })
})

describe('an http server that stops', () => {
  /** A server with one request under way whose client has gone. @returns stops the server, and ends the request */
  async function abandoned() {
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const { server, stop } = createHttpServer(async () => {
      begin()
      await ended
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await begun
    socket.destroy()
    return { stop, end }
  }

  it('waits for a request whose client has gone: it still uses the database', async () => {
    const { stop, end } = await abandoned()
    const order: string[] = []
    const stopped = stop(60_000).then(() => order.push('stopped'))
    await delay(100)
    order.push('ended')
    end()
    await stopped
    expect(order).to.deep.equal(['ended', 'stopped'])
  })

  it('waits for it no longer than the grace period', async () => {
    const { stop, end } = await abandoned()
    await stop(50)
    end()
  })
})
