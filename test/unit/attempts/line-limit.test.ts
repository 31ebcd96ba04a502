import { expect } from 'chai'
import { LineLimit } from '../../../src/attempts/line-limit.ts'
import { untilSo } from '../../support/poll.ts'

/** The timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

// decision: At most ten such lines a second
describe('the limit of log lines', () => {
  let nowMs = 0
  const told: [string | undefined, number][] = []
  const limits: LineLimit[] = []
  const create = (maximumWebhooks = 100): LineLimit => {
    const onLeftOut = (ids: { webhookId: string } | undefined, lines: number) =>
      told.push([ids?.webhookId, lines])
    limits.push(new LineLimit({ perSecond: 10, maximumWebhooks, onLeftOut, nowMs: () => nowMs }))
    return limits.at(-1)!
  }
  const admitted = (limit: LineLimit, webhookId: string, lines: number): number =>
    Array.from({ length: lines }, () => limit.admit({ webhookId, companyId: 'com_1' })).filter(Boolean).length

  beforeEach(() => told.splice(0))
  afterEach(() => limits.splice(0).forEach((limit) => limit.stop()))

  it('lets ten lines of a webhook through, and tells the number of the others once the second is over', async () => {
    const limit = create()
    expect([admitted(limit, 'whk_1', 35), admitted(limit, 'whk_2', 20)]).to.deep.equal([10, 10])
    expect(told).to.deep.equal([])
    nowMs += 1_000
    await untilSo(() => told.length === 2)
    expect(told.join(' ')).to.equal('whk_1,25 whk_2,10')
  })

  it('lets no more than ten through within any second, wherever it begins', () => {
    const limit = create()
    expect(admitted(limit, 'whk_1', 4)).to.equal(4)
    const later = [600, 399, 1, 600].map((ms) => {
      nowMs += ms
      return admitted(limit, 'whk_1', 9)
    })
    expect(later).to.deep.equal([6, 0, 4, 6])
  })

  it('forgets a webhook that is quiet, and keeps no process alive', async () => {
    const before = timers()
    const limit = create()
    for (let index = 0; index < 50; index++) admitted(limit, `whk_${index}`, 11)
    expect(limit.size).to.equal(50)
    expect(timers()).to.equal(before)
    nowMs += 1_000
    await untilSo(() => limit.size === 0)
    expect(told).to.have.length(50)
  })

  it('lets webhooks beyond those that it remembers share ten lines, and tells what it left out when it is stopped', () => {
    const limit = create(2)
    const lines = Array.from({ length: 30 }, (_, index) => admitted(limit, `whk_${index}`, 1))
    expect(lines.reduce((sum, count) => sum + count, 0)).to.equal(2 + 10)
    expect(limit.size).to.equal(3)
    expect(admitted(limit, 'whk_1', 12)).to.equal(9)
    limit.stop()
    expect(Object.fromEntries(told)).to.deep.equal({ whk_1: 3, undefined: 18 })
    expect(limit.size).to.equal(0)
  })
})
