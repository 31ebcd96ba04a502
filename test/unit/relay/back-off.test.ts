import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import { BackOff, TemporalSlowError } from '../../../src/relay/command-runner.ts'

const DEADLINE = Object.assign(new Error('Failed to start Workflow'), {
  cause: Object.assign(new Error('Timeout expired'), { code: 4 }),
})
const codeError = (code: number) => Object.assign(new Error(`code ${code}`), { code })

/** A backoff without randomness, and with a clock that the test moves. */
function onTestClock(random = 0) {
  let nowMs = 1_000
  const changes: boolean[] = []
  const onChange = (isSlow: boolean) => changes.push(isSlow)
  const backOff = new BackOff({ nowMs: () => nowMs, random: () => random, onChange })
  const fails = (error: unknown) =>
    backOff.call(() => Promise.reject(error as Error)).catch((caught: unknown) => caught)
  const pass = (ms: number) => void (nowMs += ms)
  /** The claims just before this much time is over, and at its end. */
  const roomAfter = (ms: number) =>
    [ms - 1, 1].map((passedMs) => {
      pass(passedMs)
      return backOff.room(64)
    })
  return { backOff, changes, fails, pass, roomAfter }
}

const answers = () => Promise.resolve('done')

describe('the back-off that all calls to Temporal share', () => {
  it('changes nothing while calls are answered, refusals included', async () => {
    const { backOff, changes, fails } = onTestClock()
    expect(await backOff.call(answers)).to.equal('done')
    for (const code of [3, 5, 6, 7]) await fails(codeError(code))
    expect([backOff.room(64), changes]).to.deep.equal([64, []])
  })

  for (const [name, error] of [
    ['a missed deadline', DEADLINE],
    ['a missed deadline of a native connection', codeError(1)],
    ['RESOURCE_EXHAUSTED', codeError(8)],
    ['UNAVAILABLE', codeError(14)],
  ] as const)
    it(`begins with ${name}: nothing is claimed until the pause is over, and then one row`, async () => {
      const { backOff, changes, fails, roomAfter } = onTestClock()
      expect(await fails(error)).to.equal(error)
      expect([backOff.room(64), changes]).to.deep.equal([0, [true]])
      expect(roomAfter(200)).to.deep.equal([0, 1])
    })

  it('doubles the pause with each probe that fails, up to ten seconds', async () => {
    const { fails, roomAfter } = onTestClock()
    for (const pauseMs of [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      await fails(DEADLINE)
      expect(roomAfter(pauseMs), `around ${pauseMs} ms`).to.deep.equal([0, 1])
    }
  })

  it('lets one call through at a time, and ends with the first that is answered', async () => {
    const { backOff, changes, fails, pass } = onTestClock()
    await fails(DEADLINE)
    pass(200)
    const events = new EventEmitter()
    const probe = backOff.call(() => once(events, 'answer'))
    let made = 0
    const held = await backOff.call(() => Promise.resolve((made += 1))).catch((error: unknown) => error)
    expect(held).to.be.instanceOf(TemporalSlowError)
    expect([made, backOff.room(64)]).to.deep.equal([0, 0])
    events.emit('answer')
    await probe
    expect([backOff.room(64), changes]).to.deep.equal([64, [true, false]])
  })

  it('counts calls that began together as one failure, and learns nothing from older ones', async () => {
    const { backOff, changes, pass } = onTestClock()
    const settle: { fail: (error: Error) => void; answer: (value: string) => void }[] = []
    const call = () => new Promise<string>((answer, fail) => settle.push({ fail, answer }))
    const calls = Array.from({ length: 64 }, () => backOff.call(call).catch(() => undefined))
    settle.slice(0, 32).forEach(({ fail }) => fail(DEADLINE))
    await Promise.all(calls.slice(0, 32))
    settle.slice(32).forEach(({ answer }) => answer('late'))
    await Promise.all(calls)
    expect([backOff.room(64), changes]).to.deep.equal([0, [true]])
    pass(200)
    expect(backOff.room(64)).to.equal(1)
  })

  it('goes on from its last pause when Temporal is slow again within ten seconds', async () => {
    const { backOff, fails, pass, roomAfter } = onTestClock()
    for (const pauseMs of [200, 400]) {
      await fails(DEADLINE)
      pass(pauseMs)
    }
    await backOff.call(answers)
    await fails(DEADLINE)
    expect(roomAfter(800)).to.deep.equal([0, 1])
  })

  it('moves the end of a pause by up to half of it, so that workers do not probe together', async () => {
    const rooms: number[] = []
    for (const random of [0, 0.999]) {
      const { backOff, fails, pass } = onTestClock(random)
      await fails(DEADLINE)
      pass(101)
      rooms.push(backOff.room(64))
    }
    expect(rooms).to.deep.equal([0, 1])
  })
})
