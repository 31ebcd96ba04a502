import { expect } from 'chai'
import { Agent, request } from 'undici'
import { FIXED_PATHS, fixedBehaviour, SLOW_MS } from '../../scripts/receiver/fixed-paths.mjs'
import { createReceiver, type Receiver } from '../../scripts/receiver/receiver.mjs'
import { variables } from '../../src/config/variables.ts'

describe('the fixed paths of the demo receiver', () => {
  let receiver: Receiver
  let dispatcher: Agent
  beforeEach(async () => {
    receiver = await createReceiver({ behaviourOf: fixedBehaviour })
    dispatcher = new Agent({ connect: { ca: receiver.caPem } })
  })
  afterEach(async () => {
    await Promise.all([dispatcher.destroy(), receiver.close()])
  })

  /** What a request is answered: a status, or the code of the error that it ends with. */
  async function answerTo(path: string, webhookId = 'evt_1'): Promise<number | string> {
    const headers = { 'webhook-id': webhookId }
    const options = { method: 'POST', headers, body: '{}', dispatcher } as const
    try {
      const { statusCode, body } = await request(receiver.url(path), options)
      await body.dump()
      return statusCode
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  it('behave the same for everybody, without being told', async () => {
    for (const status of [200, 204, 301, 404, 410, 429, 500, 599])
      expect(await answerTo(`/status/${status}`)).to.equal(status)
    expect(await answerTo('/gone')).to.equal(410)
    expect(await answerTo('/reset')).to.equal('UND_ERR_SOCKET')
    for (const path of ['/status/100', '/status/600', '/status/5000', '/mine', '/gone/too'])
      expect(await answerTo(path), path).to.equal(200)
  })

  it('fail the first two requests of each webhook-id, in whatever order they come', async () => {
    const answers = []
    for (const id of ['evt_a', 'evt_b', 'evt_a', 'evt_a', 'evt_b', 'evt_b', 'evt_a'])
      answers.push(await answerTo('/fails-twice', id))
    expect(answers).to.deep.equal([503, 503, 503, 200, 503, 200, 200])
  })

  it('answer slowly at /slow, and well before an attempt times out', async () => {
    const startedAt = performance.now()
    expect(await answerTo('/slow')).to.equal(200)
    expect(performance.now() - startedAt).to.be.at.least(SLOW_MS - 10)
    const { keys } = variables.describe() as { keys: Record<string, { flags?: { default?: number } }> }
    expect(SLOW_MS * 2).to.be.below(keys['WEBHOOK_TIMEOUT']!.flags!.default!)
  })

  it('give way to what a path is told', async () => {
    receiver.behave('/gone', { status: 202 })
    expect(await answerTo('/gone')).to.equal(202)
  })

  it('say of themselves one line each, with a path that they match', () => {
    for (const { path, pattern, says } of FIXED_PATHS) {
      expect(path).to.match(pattern)
      expect(says).to.match(/^[^\n]{10,80}$/)
    }
  })
})
