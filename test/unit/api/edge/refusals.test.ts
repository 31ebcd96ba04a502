import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { createHttpServer } from '../../../../src/api/edge/http-server.ts'
import { sendRaw } from '../../../support/raw-http.ts'

describe('refusals below the application', () => {
  let server: Server
  const paths: (string | undefined)[] = []
  before(async () => {
    server = createHttpServer((request, response) => {
      paths.push(request.url)
      if (request.url !== '/held') setImmediate(() => response.end())
    }).server
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())
  beforeEach(() => paths.splice(0))

  // decision: Pipelined requests
  it('end the connection, so that no request behind a refused one is carried out', async () => {
    const { port } = server.address() as AddressInfo
    const [one, bare, two] = ['/one HTTP/1.1\r\nHost: a', '/bare HTTP/1.1', '/two HTTP/1.1\r\nHost: a']
    const bytes = [one, bare, two].map((request) => `GET ${request}\r\n\r\n`).join('')
    const answer = await sendRaw(`http://127.0.0.1:${port}`, bytes, { answers: 3 })
    expect(answer.statuses).to.deep.equal([200, 400])
    expect(paths).to.deep.equal(['/one'])
  })

  it('do no harm to the api when the client breaks the connection off after its CONNECT', async () => {
    const { port } = server.address() as AddressInfo
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const refused = once(server, 'connect')
    const client = connect(port, '127.0.0.1')
    client.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
    const [[socket]] = await Promise.all([accepted, refused])
    // Without a listener of ours the reset would end the process, and here the test.
    const closed = new Promise<void>((resolve) => socket.once('close', resolve))
    client.resetAndDestroy()
    await closed
    expect(socket.errored).to.have.property('code', 'ECONNRESET')
  })
})
