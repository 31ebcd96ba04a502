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
    const failure: unknown = await fetch(receiver.url('/')).catch((error: unknown) => error)
    expect(failure).to.have.nested.property('cause.code', 'DEPTH_ZERO_SELF_SIGNED_CERT')
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

  it('can be told over HTTP, and says what is wrong with a bad order', async () => {
    const order = { path: '/told', behaviour: { status: 418 }, secret: SECRET }
    expect((await post('/_control', {}, JSON.stringify(order))).statusCode).to.equal(200)
    expect((await post('/told', signed(SECRET))).statusCode).to.equal(418)
    expect(receiver.requestsTo('/told')[0]?.verified).to.equal(true)
    expect((await post('/_control', {}, '{"path":"told"}')).statusCode).to.equal(400)
  })
})
