import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { fixedBehaviour } from '../../scripts/receiver/paths.ts'
import { createReceiver, type Receiver } from '../../scripts/receiver/receiver.ts'

const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.from('another-secret-of-24-b!!').toString('base64')}`
const BODY = '{"id":"evt_1","event":"contact.created"}'

const signed = (secret: string, at = new Date()) => ({
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
})

describe('the demo receiver', () => {
  let receiver: Receiver
  let dispatcher: Agent
  beforeEach(async () => {
    receiver = await createReceiver({ behaviourOf: fixedBehaviour })
    dispatcher = new Agent({ connect: { ca: receiver.caPem } })
  })
  afterEach(() => Promise.all([dispatcher.destroy(), receiver.close()]))

  /** The answer to a request: a status, or the code of the error that ended it. */
  async function post(
    path: string,
    more: Record<string, string> = {},
    sent = BODY,
  ): Promise<number | string> {
    const headers = { 'webhook-id': 'evt_1', ...more }
    const options = { method: 'POST', headers, body: sent, dispatcher } as const
    try {
      const { statusCode, body } = await request(receiver.url(path), options)
      await body.dump()
      return statusCode
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  it('verifies with any of the secrets a path trusts, but not a changed body, an old timestamp, or no signature', async () => {
    receiver.trust('/hook', OTHER_SECRET)
    await post('/hook', signed(SECRET))
    receiver.trust('/hook', SECRET)
    await post('/hook', signed(SECRET))
    await post('/hook', signed(OTHER_SECRET))
    await post('/hook', signed(SECRET), `${BODY} `)
    await post('/hook', signed(SECRET, new Date(Date.now() - 3_600_000)))
    await post('/hook')
    const verdicts = receiver.requestsTo('/hook').map(({ verified }) => verified)
    expect(verdicts).to.deep.equal([false, true, true, false, false, false])
  })

  it('can be told over HTTP, and says what is wrong with a bad order', async () => {
    const order = { path: '/gone', behaviour: { status: 418 }, secret: SECRET }
    expect(await post('/gone')).to.equal(410)
    expect(await post('/_control', {}, JSON.stringify(order))).to.equal(200)
    expect(await post('/gone', signed(SECRET))).to.equal(418)
    expect(receiver.requestsTo('/gone').at(-1)?.verified).to.equal(true)
    expect(await post('/_control', {}, '{"path":"told"}')).to.equal(400)
  })

  it('has paths that behave the same for everybody: each status, a cut connection, and two failures of each webhook-id', async () => {
    for (const status of [200, 204, 301, 404, 410, 429, 500, 599])
      expect(await post(`/status/${status}`)).to.equal(status)
    expect(await post('/reset')).to.equal('UND_ERR_SOCKET')
    for (const path of ['/status/100', '/status/600', '/status/5000', '/mine', '/gone/too'])
      expect(await post(path), path).to.equal(200)
    const answers = []
    for (const id of ['evt_a', 'evt_b', 'evt_a', 'evt_a', 'evt_b', 'evt_b', 'evt_a'])
      answers.push(await post('/fails-twice', { 'webhook-id': id }))
    expect(answers).to.deep.equal([503, 503, 503, 200, 503, 200, 200])
  })
})
