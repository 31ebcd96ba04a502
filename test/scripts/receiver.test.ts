import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { Agent, fetch, request } from 'undici'
import { createReceiver, type Receiver } from '../../scripts/receiver/receiver.mjs'

const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.from('another-secret-of-24-b!!').toString('base64')}`
const BODY = '{"id":"evt_1","event":"contact.created"}'

const signed = (secret: string, body = BODY, at = new Date()) => ({
  'content-type': 'application/json',
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
})

describe('the receiver', () => {
  let receiver: Receiver
  let dispatcher: Agent

  beforeEach(async () => {
    receiver = await createReceiver()
    dispatcher = new Agent({ connect: { ca: receiver.caPem }, connections: 1 })
  })
  afterEach(async () => {
    await Promise.all([dispatcher.destroy(), receiver.close()])
  })

  const post = (path: string, headers: Record<string, string> = {}, body = BODY) =>
    request(receiver.url(path), { method: 'POST', headers, body, dispatcher })
  const postStatus = async (path: string) => {
    const response = await post(path)
    await response.body.dump()
    return response.statusCode
  }

  it('records what arrived, byte for byte, and answers 200 by default', async () => {
    const response = await post('/a?b=c', { 'X-Custom': 'Value' }, 'näme')
    expect(response.statusCode).to.equal(200)
    expect(await response.body.json()).to.deep.equal({ ok: true })
    const [received] = receiver.requestsTo('/a')
    expect(received).to.include({
      method: 'POST',
      path: '/a',
      url: '/a?b=c',
      status: 200,
      verified: undefined,
    })
    expect(received?.body.equals(Buffer.from('näme'))).to.equal(true)
    expect(received?.headers['x-custom']).to.equal('Value')
    expect(received?.rawHeaders).to.include('X-Custom')
    expect(received?.receivedAt).to.be.instanceOf(Date)
  })

  it('is trusted through its own certificate under localhost as well, and not without it', async () => {
    const trusted = await fetch(receiver.url('/', 'localhost'), { dispatcher })
    expect(trusted.status).to.equal(200)
    const failure = await fetch(receiver.url('/')).then(
      () => undefined,
      (error: unknown) => (error as { cause?: { code?: string } }).cause?.code,
    )
    expect(failure).to.equal('DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  const verifiedAt = (path: string) => receiver.requestsTo(path).map(({ verified }) => verified)

  it('verifies with any of the secrets a path trusts, but not a changed body, an old timestamp, or no signature', async () => {
    receiver.trust('/hook', OTHER_SECRET)
    await post('/hook', signed(SECRET))
    receiver.trust('/hook', SECRET)
    await post('/hook', signed(SECRET))
    await post('/hook', signed(OTHER_SECRET))
    await post('/hook', signed(SECRET), `${BODY} `)
    await post('/hook', signed(SECRET, BODY, new Date(Date.now() - 3_600_000)))
    await post('/hook')
    expect(verifiedAt('/hook')).to.deep.equal([false, true, true, false, false, false])
  })

  it('fails as often as told, then heals, and starts again when told again', async () => {
    const statuses = async (times: number) => {
      const seen: number[] = []
      while (seen.length < times) seen.push(await postStatus('/flaky'))
      return seen
    }
    receiver.behave('/flaky', { failTimes: 2, status: 503, then: 204 })
    expect(await statuses(3)).to.deep.equal([503, 503, 204])
    receiver.behave('/flaky', { failTimes: 1 })
    expect(await statuses(2)).to.deep.equal([500, 200])
  })

  it('answers with the status, headers and body it is told, and with a redirect', async () => {
    receiver.behave('/gone', { status: 410, headers: { 'retry-after': '7' }, body: 'bye' })
    const { statusCode, headers, body } = await post('/gone')
    expect([statusCode, headers['retry-after'], await body.text()]).to.deep.equal([410, '7', 'bye'])
    receiver.behave('/moved', { redirect: 'https://127.0.0.1/other' })
    const moved = await post('/moved')
    expect([moved.statusCode, moved.headers['location']]).to.deep.equal([302, 'https://127.0.0.1/other'])
  })

  it('waits before it answers when told so', async () => {
    receiver.behave('/slow', { delayMs: 150 })
    const startedAt = performance.now()
    expect(await postStatus('/slow')).to.equal(200)
    expect(performance.now() - startedAt).to.be.at.least(140)
  })

  it('asks for the secrets of a path that was not told any, with every request', async () => {
    let secrets: string[] = []
    const asked: string[] = []
    const secretsOf = (path: string) => {
      asked.push(path)
      return Promise.resolve(secrets)
    }
    const curious = await createReceiver({ secretsOf })
    const own = new Agent({ connect: { ca: curious.caPem } })
    try {
      for (const next of [[], [OTHER_SECRET], [OTHER_SECRET, SECRET]]) {
        secrets = next
        const options = { method: 'POST', headers: signed(SECRET), body: BODY, dispatcher: own } as const
        await (await request(curious.url('/mine'), options)).body.dump()
      }
      const verified = curious.requestsTo('/mine').map((received) => received.verified)
      expect(verified).to.deep.equal([undefined, false, true])
      expect(asked).to.deep.equal(['/mine', '/mine', '/mine'])
    } finally {
      await own.destroy()
      await curious.close()
    }
  })

  it('can be told over HTTP, and says what is wrong with a bad order', async () => {
    const order = { path: '/told', behaviour: { status: 418 }, secret: SECRET }
    expect((await post('/_control', {}, JSON.stringify(order))).statusCode).to.equal(200)
    expect((await post('/told', signed(SECRET))).statusCode).to.equal(418)
    expect(receiver.requestsTo('/told')[0]?.verified).to.equal(true)
    expect((await post('/_control', {}, '{"path":"told"}')).statusCode).to.equal(400)
  })

  it('hands out each request once through next, whether it is already there or still to come', async () => {
    await post('/queue', {}, 'first')
    const [first, second] = [receiver.next('/queue'), receiver.next('/queue')]
    await post('/queue', {}, 'second')
    expect([(await first).body.toString(), (await second).body.toString()]).to.deep.equal(['first', 'second'])
  })

  it('wakes waitFor with the last request it waits for, and says how many came when the time is over', async () => {
    const both = receiver.waitFor('/two', 2)
    await post('/two')
    await post('/two')
    expect(await both).to.have.length(2)
    const late = await receiver.waitFor('/two', 3, { timeoutMs: 20 }).catch((error: unknown) => String(error))
    expect(late).to.contain('/two got 2 of 3 expected requests within 20 ms')
  })

  it('tells connections apart', async () => {
    await (await post('/c')).body.dump()
    await (await post('/c')).body.dump()
    const second = new Agent({ connect: { ca: receiver.caPem } })
    await request(receiver.url('/c'), { dispatcher: second })
    const [a, b, c] = receiver.requestsTo('/c').map(({ connectionId }) => connectionId)
    expect(a).to.equal(b)
    expect(c).not.to.equal(a)
    await second.destroy()
  })

  describe('never ends the answer of', () => {
    /** Sends a request by hand to a path that behaves so, and gives what can be seen of the response. */
    function open(behaviour: Parameters<Receiver['behave']>[1]) {
      receiver.behave('/odd', behaviour)
      const options = { method: 'POST', ca: receiver.caPem, agent: false } as const
      const sent = httpsRequest(receiver.url('/odd'), options)
      const failed = once(sent, 'error').then(([error]) => (error as NodeJS.ErrnoException).code)
      const response = once(sent, 'response').then(([received]) => received as IncomingMessage)
      for (const outcome of [failed, response]) outcome.catch(() => undefined)
      sent.end(BODY)
      return { sent, failed, response }
    }

    it('a hung path, until it is closed', async () => {
      const { failed } = open({ hang: true })
      expect((await receiver.next('/odd')).status).to.equal(undefined)
      expect(receiver.openConnections()).to.equal(1)
      await receiver.close()
      expect(await failed).to.equal('ECONNRESET')
    })

    it('a path that hangs after its headers', async () => {
      const { statusCode, complete } = await open({ hangAfterHeaders: true, status: 201 }).response
      expect([statusCode, complete]).to.deep.equal([201, false])
    })

    it('a dripping path: one byte at a time', async () => {
      const [chunk] = (await once(await open({ drip: true }).response, 'data')) as [Buffer]
      expect(chunk.toString()).to.equal('x')
    })

    it('an endless path: a body as long as one cares to read', async () => {
      let length = 0
      for await (const chunk of await open({ endless: true }).response) {
        length += (chunk as Buffer).length
        if (length > 5_000_000) break
      }
      expect(length).to.be.above(5_000_000)
    })

    it('a path that floods with informational answers', async () => {
      const { sent } = open({ informational: true })
      for (let i = 0; i < 3; i++) {
        const [{ statusCode }] = (await once(sent, 'information')) as [{ statusCode: number }]
        expect(statusCode).to.equal(102)
      }
      sent.destroy()
    })

    it('a path that resets', async () => {
      expect(await open({ reset: true }).failed).to.equal('ECONNRESET')
    })
  })
})
