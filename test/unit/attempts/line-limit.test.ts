import { expect } from 'chai'
import { LineLimit, type WebhookIds } from '../../../src/attempts/line-limit.ts'
import { until, untilSo } from '../../support/poll.ts'

const webhook = (id: string): WebhookIds => ({ webhookId: id, companyId: 'com_1' })

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('the limit of log lines', () => {
  const told: [string | undefined, number][] = []
  const limits: LineLimit[] = []
  const create = (maximumWebhooks = 100): LineLimit => {
    const limit = new LineLimit({
      perSecond: 10,
      maximumWebhooks,
      onLeftOut: (ids, lines) => told.push([ids?.webhookId, lines]),
    })
    limits.push(limit)
    return limit
  }
  const admitted = (limit: LineLimit, id: string, lines: number): number =>
    Array.from({ length: lines }, () => limit.admit(webhook(id))).filter(Boolean).length

  beforeEach(() => told.splice(0))
  afterEach(() => limits.splice(0).forEach((limit) => limit.stop()))

  it('lets ten lines of a webhook through, and tells the number of the others once the second is over', async () => {
    const limit = create()
    const startedMs = performance.now()
    expect(admitted(limit, 'whk_1', 35)).to.equal(10)
    expect(told).to.deep.equal([])
    await untilSo(() => told.length === 1)
    expect(told).to.deep.equal([['whk_1', 25]])
    expect(performance.now() - startedMs).to.be.at.least(1_000)
  })

  // decision: At most ten such lines a second
  it('lets no more than ten through within any second, wherever it begins', async () => {
    const limit = create()
    const admissions: { beforeMs: number; afterMs: number }[] = []
    await until(
      () => {
        const beforeMs = performance.now()
        if (limit.admit(webhook('whk_1'))) admissions.push({ beforeMs, afterMs: performance.now() })
        return admissions.length
      },
      (count) => count === 25,
    )
    const gaps = admissions.slice(10).map(({ afterMs }, index) => afterMs - admissions[index]!.beforeMs)
    expect(Math.min(...gaps)).to.be.at.least(1_000)
  })

  it('gives each webhook its own ten', () => {
    const limit = create()
    expect(admitted(limit, 'whk_1', 20)).to.equal(10)
    expect(admitted(limit, 'whk_2', 20)).to.equal(10)
  })

  // decision: At most ten such lines a second
  it('forgets a webhook that is quiet, and keeps no process alive', async () => {
    const before = timers()
    const limit = create()
    for (let index = 0; index < 50; index++) admitted(limit, `whk_${index}`, 11)
    expect(limit.size).to.equal(50)
    expect(timers()).to.equal(before)
    await untilSo(() => limit.size === 0)
    expect(told).to.have.length(50)
  })

  it('lets webhooks beyond those that it remembers share ten lines', () => {
    const limit = create(2)
    const lines = Array.from({ length: 30 }, (_, index) => admitted(limit, `whk_${index}`, 1))
    expect(lines.reduce((sum, count) => sum + count, 0)).to.equal(2 + 10)
    expect(limit.size).to.equal(3)
    limit.stop()
    expect(told).to.deep.equal([[undefined, 18]])
  })

  it('tells what it left out when it is stopped', () => {
    const limit = create()
    admitted(limit, 'whk_1', 12)
    limit.stop()
    expect([told, limit.size]).to.deep.equal([[['whk_1', 2]], 0])
  })
})
