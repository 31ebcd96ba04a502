import type { Socket } from 'node:net'
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { StepTimes } from '../../../src/domain/delivery/step-times.ts'
import { answer, startTcpServer } from '../../support/raw-endpoint.ts'
import { REQUEST, setUpSender } from '../../support/sender-setup.ts'

/** Which steps of an attempt were measured. */
const measured = ({ steps }: { readonly steps?: StepTimes }): string[] =>
  Object.entries(steps ?? {}).flatMap(([step, ms]) => (ms === null ? [] : [step]))

describe('the steps of an attempt', () => {
  const setup = setUpSender()
  const { send, createSender } = setup
  const named = () => `https://hook.example:${setup.endpoint.port}/hook`
  beforeEach(() => (setup.answerTo = () => ['127.0.0.1']))

  // decision: Steps of an attempt
  it('are all measured on a new connection, and only the wait for the answer on a kept one', async () => {
    const outcome = await send({ url: named() })
    expect(measured(outcome)).to.deep.equal(['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'])
    const sum = Object.values(outcome.steps ?? {}).reduce<number>((total, ms) => total + (ms ?? 0), 0)
    // Each is rounded by itself.
    expect(sum).to.be.at.most(outcome.durationMs + 2)
    expect(measured(await send({ url: named() }))).to.deep.equal(['firstByteMs'])
  })

  it('have no name to resolve where the URL has an address', async () => {
    expect(measured(await send())).to.deep.equal(['connectMs', 'tlsMs', 'firstByteMs'])
  })

  it('count the wait for the first byte, and not for the last one', async () => {
    const respond = async (socket: Socket) => {
      await delay(60)
      socket.write('HTTP/1.1 200 OK\r\n')
      // The sender, in this very process, has read these bytes before the next timer, however late that is.
      for (let turn = 0; turn < 3; turn++) await immediate()
      await delay(200)
      socket.write('content-length: 0\r\n\r\n')
    }
    setup.respond = (socket) => void respond(socket)
    const { steps, durationMs } = await send()
    expect(steps?.firstByteMs).to.be.at.least(55)
    expect(durationMs - steps!.firstByteMs!).to.be.at.least(195)
  })

  // decision: Steps of an attempt
  it('end with the step that failed, measured up to its failure', async () => {
    setup.answerTo = () => 'NXDOMAIN'
    expect(measured(await send({ url: named() }))).to.deep.equal(['dnsMs'])
    setup.answerTo = () => ['127.0.0.1']
    const silent = await startTcpServer(() => undefined)
    const url = `https://hook.example:${silent.port}/`
    const hung = await send({ url }, createSender({ connectTimeoutMs: 100 }))
    expect(measured(hung)).to.deep.equal(['dnsMs', 'connectMs', 'tlsMs'])
    expect(hung.steps?.tlsMs).to.be.at.least(80)
    await silent.close()
    expect(measured(await send({ url }))).to.deep.equal(['dnsMs', 'connectMs'])
    setup.respond = () => undefined
    const unanswered = await send({ url: named() }, createSender({ timeoutMs: 300 }))
    expect(measured(unanswered)).to.deep.equal(['dnsMs', 'connectMs', 'tlsMs'])
  })

  // decision: Steps of an attempt
  it('are those of the connection that took the place of a dead one', async () => {
    await send({ url: named() })
    setup.respond = (socket, index) => (index === 1 ? socket.destroy() : socket.write(answer(202)))
    const kept = await setup.connect({ url: named() })
    expect(await kept.post(REQUEST)).to.include({ kind: 'dead' })
    const replacement = await kept.reconnect()
    if (replacement.kind !== 'ready') throw new Error(replacement.reason)
    const outcome = await replacement.post(REQUEST)
    replacement.release()
    if (outcome.kind === 'dead') throw new Error('a new connection is dead')
    expect(measured(outcome)).to.deep.equal(['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'])
  })
})
