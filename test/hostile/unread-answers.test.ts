import { expect } from 'chai'
import Koa from 'koa'
import { answerWithBytes } from '../../src/api/edge/unread-answers.ts'
import type { CutReason } from '../../src/api/edge/connections.ts'
import { createHttpServer } from '../../src/api/edge/http-server.ts'
import { StreamedAnswer } from '../../src/api/routing/streamed-answer.ts'
import { listenOnLoopback, openSockets } from '../support/loopback.ts'
import { until, untilIs } from '../support/poll.ts'

const MIB = 1024 * 1024

describe('clients that do not read their answers', () => {
  // decision: Answers go out in pieces of 64 KiB
  it('get their answers in pieces, so that a connection holds only a little of them, encrypted or not', async () => {
    const bytes = Buffer.alloc(16 * MIB, 'abc')
    const app = new Koa()
    app.silent = true
    app.use((ctx) => {
      ctx.type = 'text'
      answerWithBytes(ctx, bytes)
    })
    const cuts: CutReason[] = []
    const onCut = (reason: CutReason) => cuts.push(reason)
    const http = createHttpServer(app.callback(), { limits: { idleMs: 500 }, onCut })
    let mostHeld = 0
    http.server.on('connection', (socket) => {
      const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
      socket.write = (...args: unknown[]) => {
        const result = write(...args)
        mostHeld = Math.max(mostHeld, socket.writableLength)
        return result
      }
    })
    const { port, url } = await listenOnLoopback(http.server)
    const [socket] = await openSockets(port, 1)
    socket?.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => cuts.length, Boolean, { what: 'the end of the connection' })
    expect(cuts).to.deep.equal(['unread'])
    const ask = (method: string) => fetch(url, { method, headers: { connection: 'close' } })
    const read = await ask('GET')
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).to.equal(true)
    for (const { headers } of [read, await ask('HEAD')])
      expect(headers.get('content-length')).to.equal(String(bytes.length))
    expect(mostHeld).to.be.within(1, MIB)
    await http.stop(0)
  })

  // decision: The audit
  it('get a streamed answer as they take it: nothing more is made once they stop, and it ends', async () => {
    const app = new Koa()
    app.silent = true
    const ends: string[] = []
    let made = 0
    app.use((ctx) => {
      const isFaulty = ctx.path === '/faulty'
      const answer = new StreamedAnswer({
        type: 'text/csv',
        fileName: 'a.csv',
        onEnd: () => ends.push('over'),
        onFault: () => ends.push('fault'),
        async *parts(within) {
          for (;;) {
            if (isFaulty && made === 3) throw new Error('the database is away')
            yield await within(() => Promise.resolve('x'.repeat(MIB)))
            made += 1
          }
        },
      })
      answer.sendTo(ctx, (work) => work())
    })
    const http = createHttpServer(app.callback(), { limits: { idleMs: 500 } })
    const { port, url } = await listenOnLoopback(http.server)
    const [socket] = await openSockets(port, 1)
    socket?.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await untilIs(() => ends.length, 1, { what: 'the end of the answer' })
    expect(ends).to.deep.equal(['over'])
    // At most what the system buffers for the connection.
    expect(made).to.be.within(1, 32)
    made = 0
    const cutOff = await fetch(`${url}/faulty`)
      .then((answer) => answer.text())
      .catch((error: unknown) => error)
    expect(cutOff).to.be.instanceOf(Error)
    await untilIs(() => ends.length, 3, { what: 'the end of the faulty answer' })
    expect(ends).to.deep.equal(['over', 'fault', 'over'])
    await http.stop(0)
  })
})
