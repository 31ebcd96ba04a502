import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createHttpServer } from '../../src/api/http-server.js'
import { sendRaw } from '../support/raw-http.js'

describe('refusals below the application', () => {
  let server: Server
  const paths: (string | undefined)[] = []
  before(async () => {
    server = createHttpServer((request, response) => {
      paths.push(request.url)
      setImmediate(() => response.end())
    }, undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  it('let nothing be carried out that follows a refused request', async () => {
    const { port } = server.address() as AddressInfo
    const [one, bare, two] = ['/one HTTP/1.1\r\nHost: a', '/bare HTTP/1.1', '/two HTTP/1.1\r\nHost: a']
    const bytes = [one, bare, two].map((request) => `GET ${request}\r\n\r\n`).join('')
    const answer = await sendRaw(`http://127.0.0.1:${port}`, bytes, { answers: 3 })
    expect(answer.statuses).to.deep.equal([200, 400])
    expect(paths).to.deep.equal(['/one'])
  })
})
