import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { AnswerBudget } from '../../../../src/api/edge/answer-budget.ts'
import { createHttpServer, type HttpServer } from '../../../../src/api/edge/http-server.ts'
import type { ApiError } from '../../../../src/domain/errors.ts'
import { until } from '../../../support/poll.ts'
import { openSockets } from '../../../support/silent-sockets.ts'

const MIB = 1024 * 1024

describe('the budget of large answers', () => {
  let http: HttpServer
  let port: number
  let counted: number
  afterEach(() => http.stop(0))

  /** Answers /<company>/<bytes>: room is made for them first, unless the query says that they are a surprise. */
  async function start(limits: ConstructorParameters<typeof AnswerBudget>[1]): Promise<void> {
    counted = 0
    const budget = new AnswerBudget((bytes) => (counted = bytes), {
      ...{ companyBytes: 16 * MIB, processBytes: 32 * MIB, waitMs: 100 },
      ...limits,
    })
    http = createHttpServer(async (request, response) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
      const [, companyId = '', size] = pathname.split('/')
      try {
        const answer = await budget.serve({ companyId, environment: 'live' }, response, async (makeRoom) => {
          if (search === '') await makeRoom(Number(size))
          return Buffer.alloc(Number(size))
        })
        response.end(answer)
      } catch (error) {
        const { code, headers } = error as ApiError
        response.writeHead(429, headers).end(code)
      }
    })
    http.server.listen(0, '127.0.0.1')
    await once(http.server, 'listening')
    port = (http.server.address() as AddressInfo).port
  }

  /** Asks for an answer that nobody reads, and waits until it is counted. */
  async function leaveUnread(path: string) {
    const [socket] = await openSockets(port, 1)
    const before = counted
    socket?.pause().write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await until(
      () => counted,
      (bytes) => bytes > before,
    )
    return { leave: () => socket?.destroy() }
  }

  /** The length of an answer, or the code of a refusal. */
  async function ask(path: string, method = 'GET'): Promise<string | number> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { connection: 'close' },
    })
    if (response.status === 200) return (await response.arrayBuffer()).byteLength
    expect(Number(response.headers.get('retry-after'))).to.be.at.least(1)
    return response.text()
  }

  // decision: Large answers have a budget
  it('holds one company to its part and all of them to that of the process, small answers left out', async () => {
    await start({})
    await leaveUnread(`/a/${14 * MIB}`)
    expect(await ask(`/a/${4 * MIB}`)).to.equal('RATE_LIMITED')
    expect(await ask(`/a/${4 * MIB}?surprise`)).to.equal('RATE_LIMITED')
    expect(await ask(`/a/${60 * 1024}`)).to.equal(60 * 1024)
    await leaveUnread(`/b/${14 * MIB}`)
    expect(await ask(`/c/${8 * MIB}`)).to.equal('SERVICE_UNAVAILABLE')
    expect(await ask(`/c/${3 * MIB}`)).to.equal(3 * MIB)
  })

  it('lets an answer pass that is larger than its part where nothing else is counted', async () => {
    await start({})
    expect(await ask(`/a/${40 * MIB}`)).to.equal(40 * MIB)
  })

  // decision: Large answers have a budget
  it('never refuses the answer to a change, and counts it', async () => {
    await start({})
    await leaveUnread(`/a/${14 * MIB}`)
    expect(await ask(`/a/${8 * MIB}?surprise`, 'POST')).to.equal(8 * MIB)
  })

  it('gives room to the next one as soon as a client has read or gone', async () => {
    await start({ waitMs: 10_000 })
    const unread = await leaveUnread(`/a/${14 * MIB}`)
    const next = ask(`/a/${8 * MIB}`)
    unread.leave()
    expect(await next).to.equal(8 * MIB)
    await until(
      () => counted,
      (bytes) => bytes === 0,
    )
  })

  it('takes the room from clients that do not read when others wait for it', async () => {
    await start({ waitMs: 10_000, pressedIdleMs: 100 })
    await leaveUnread(`/a/${16 * MIB}`)
    await leaveUnread(`/b/${16 * MIB}`)
    expect(await ask(`/c/${16 * MIB}`)).to.equal(16 * MIB)
  })
})
