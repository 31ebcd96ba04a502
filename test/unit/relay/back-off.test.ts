import { expect } from 'chai'
import { BackOff, TemporalSlowError } from '../../../src/relay/back-off.ts'

const DEADLINE = Object.assign(new Error('Failed to start Workflow'), {
  cause: Object.assign(new Error('Timeout expired'), { code: 4 }),
})
const codeError = (code: number) => Object.assign(new Error(`code ${code}`), { code })

/** A back-off whose clock the test moves, without random parts. */
function onTestClock() {
  let nowMs = 1_000
  const changes: boolean[] = []
  const backOff = new BackOff({
    nowMs: () => nowMs,
    random: () => 0,
    onChange: (isSlow) => changes.push(isSlow),
  })
  const fails = (error: unknown) =>
    backOff.call(() => Promise.reject(error as Error)).catch((caught: unknown) => caught)
  return { backOff, changes, fails, pass: (ms: number) => void (nowMs += ms) }
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
  ] as const) {
    it(`begins with ${name}: nothing is claimed until the pause is over, and then one row`, async () => {
      const { backOff, changes, fails, pass } = onTestClock()
      expect(await fails(error)).to.equal(error)
      expect([backOff.room(64), changes]).to.deep.equal([0, [true]])
      pass(199)
      expect(backOff.room(64)).to.equal(0)
      pass(1)
      expect(backOff.room(64)).to.equal(1)
    })
  }

  it('doubles the pause with each probe that fails, up to ten seconds', async () => {
    const { backOff, fails, pass } = onTestClock()
    await fails(DEADLINE)
    for (const pauseMs of [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      pass(pauseMs - 1)
      expect(backOff.room(64), `after ${pauseMs - 1} ms`).to.equal(0)
      pass(1)
      expect(backOff.room(64), `after ${pauseMs} ms`).to.equal(1)
      await fails(DEADLINE)
    }
  })

  it('lets one call through at a time, and ends with the first that is answered', async () => {
    const { backOff, changes, fails, pass } = onTestClock()
    await fails(DEADLINE)
    pass(200)
    let end: (value: string) => void = () => undefined
    const probe = backOff.call(() => new Promise<string>((resolve) => (end = resolve)))
    let made = 0
    const held = await backOff.call(() => Promise.resolve((made += 1))).catch((error: unknown) => error)
    expect(held).to.be.instanceOf(TemporalSlowError)
    expect([made, backOff.room(64)]).to.deep.equal([0, 0])
    end('done')
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
    const { backOff, fails, pass } = onTestClock()
    await fails(DEADLINE)
    pass(200)
    await fails(DEADLINE)
    pass(400)
    await backOff.call(answers)
    await fails(DEADLINE)
    pass(799)
    expect(backOff.room(64)).to.equal(0)
    pass(1)
    expect(backOff.room(64)).to.equal(1)
  })

  it('moves the end of a pause by up to half of it, so that workers do not probe together', async () => {
    const rooms = []
    for (const random of [0, 0.999]) {
      let nowMs = 0
      const backOff = new BackOff({ nowMs: () => nowMs, random: () => random, onChange: () => undefined })
      await backOff.call(() => Promise.reject(DEADLINE)).catch(() => undefined)
      nowMs = 101
      rooms.push(backOff.room(64))
    }
    expect(rooms).to.deep.equal([0, 1])
  })
})
