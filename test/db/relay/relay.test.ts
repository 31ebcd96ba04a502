import { expect } from 'chai'
import { Slots } from '../../../src/attempts/slots.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { TemporalPace } from '../../../src/attempts/temporal-load.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { Relay } from '../../../src/relay/relay.ts'
import { until, untilSo, untilThere } from '../../support/poll.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { SLOTS, useCommands } from '../../support/use-commands.ts'
import type { DirectStart } from '../../../src/attempts/attempt-under-way.ts'
import type { AttemptReport } from '../../../src/domain/delivery/view.ts'
import { DirectAttempts } from '../../../src/relay/direct/attempts.ts'
import type { Claim } from '../../../src/db/outbox/claims.ts'

describe('the relay', () => {
  const { its, slots } = useCommands()
  const { create, queued } = its

  /** A command that the relay carries out without calling Temporal. */
  async function queueCommand(): Promise<void> {
    const { webhook } = await create({ isActive: false })
    await its.setActive(webhook.id, true)
  }
  const options = () => ({
    owner: 'w1',
    leaseMs: 60_000,
    limits: newLimits(its.deps),
    isDirect: false,
    attempts: { makeDirect: () => Promise.reject(new Error('not direct')) },
    searchAttributes: () => [],
    pace: new TemporalPace(),
    local: { isFull: () => false },
    onRefused: () => undefined,
  })
  function start(isPaused: () => boolean, deps = its.deps, of = slots()): Relay {
    const relay = new Relay(deps, { ...options(), slots: of, isPaused })
    relay.start()
    return relay
  }

  it('claims nothing while outcomes cannot be recorded, and goes on once they can', async () => {
    await queueCommand()
    let asked = 0
    let isStuck = true
    const relay = start(() => {
      asked += 1
      return isStuck
    })
    try {
      await untilSo(() => asked >= 3)
      expect(await queued()).to.deep.equal(['resume-webhook'])
      isStuck = false
      await until(queued, (kinds) => kinds.length === 0)
    } finally {
      await relay.stop()
    }
  })

  // decision: Calls under way
  it('has few calls to Temporal under way at once', async () => {
    const rows = 24
    await create()
    await its.publish(rows)
    const answers: (() => void)[] = []
    const call = () => new Promise<void>((resolve) => answers.push(resolve))
    const temporal = { withDeadline: (_: number, made: () => unknown) => made(), workflow: { start: call } }
    const wide = new Slots({ limit: () => rows, capacity: 10 * rows, now: () => 0 })
    const deps = { ...its.deps, temporal: temporal as unknown as SystemDeps['temporal'] }
    const relay = start(() => false, deps, wide)
    let [most, answered] = [0, 0]
    try {
      while (answered < rows) {
        await untilSo(() => answers.length === Math.min(16, rows - answered))
        most = Math.max(most, answers.length)
        answers.shift()?.()
        answered += 1
      }
    } finally {
      for (const answer of answers) answer()
      await relay.stop()
    }
    expect(most).to.equal(16)
  })

  it('frees the slot of a start that failed', async () => {
    const { webhook } = await create()
    await its.publish(1)
    const temporal = { withDeadline: () => Promise.reject(new Error('away')) }
    const relay = start(() => false, { ...its.deps, temporal: temporal as unknown as SystemDeps['temporal'] })
    await untilThere(() => its.db('outbox').where('tries', '>', 0), 1)
    await relay.stop()
    expect(slots().free({ companyId: its.tenant().companyId, webhookId: webhook.id })).to.equal(SLOTS)
  })

  it('stops only after it has carried out what it claimed', async () => {
    await queueCommand()
    const holder = await its.db.transaction()
    await holder('webhooks').forUpdate()
    const relay = start(() => false)
    try {
      const unclaimed = () => its.db('outbox').whereNull('lease_owner')
      await until(unclaimed, (rows: unknown[]) => rows.length === 0)
    } finally {
      const stopped = relay.stop()
      await holder.rollback()
      await stopped
    }
    expect(await queued()).to.deep.equal([])
  })
})

describe('first attempts of the relay', () => {
  const { its, waiting, pauseMs } = useCommands()
  const deferred = () => Promise.resolve({ kind: 'deferred' as const, delayMs: 60_000 })
  const faulty = () => Promise.reject(new Error('a fault'))
  const failed = () =>
    Promise.resolve({ kind: 'failed' as const, code: 'http_500', delayMs: 5_000, isNextDirect: false })

  const claimed = async (): Promise<Claim> =>
    (await its.claim((await its.delivery()).webhookId, { rows: 1 }))[0]!
  function withReport(makeDirect: (start: DirectStart) => Promise<AttemptReport>) {
    let failures = 0
    const unsent: string[] = []
    const direct = new DirectAttempts(its.deps, {
      attempts: { makeDirect },
      owner: 'w1',
      leaseMs: 60_000,
      onHandover: () => (failures += 1),
      onUnsent: (row) => Promise.resolve(void unsent.push(row.targetId)),
    })
    return { direct, failures: () => failures, unsent }
  }

  for (const [what, report, tries, leastMs] of [
    ['the pause of a deferral, which does not count', deferred, 0, 60_000],
    ['our own fault, which counts', faulty, 1, 1_000],
  ] as const)
    it(`come back after ${what}`, async () => {
      const [before, claim] = [await databaseNow(its.db), await claimed()]
      const { direct, unsent } = withReport(report)
      await direct.make(claim, Date.now())
      expect(unsent, 'the next one may go in its place').to.deep.equal([claim.row.targetId])
      expect((await waiting()).map((row) => [row.kind, row.tries])).to.deep.equal([['start', tries]])
      expect(await pauseMs(before)).to.be.at.least(leastMs)
    })

  it('ring when a delivery failed, because its workflow is to go on, and for nothing else: no retry that waits for its direct attempt, whose time comes with their claim', async () => {
    const both = [failed, () => Promise.resolve({ kind: 'parked' as const })].map(withReport)
    for (const { direct } of both) await direct.make(await claimed(), Date.now())
    expect(both.map(({ failures }) => failures())).to.deep.equal([1, 0])
    expect(both[0]!.unsent).to.deep.equal([])
    const starts: DirectStart[] = []
    const { direct, failures } = withReport((start) => {
      starts.push(start)
      return Promise.resolve({ kind: 'failed', code: 'http_500', delayMs: 5_000, isNextDirect: true })
    })
    const claim = await claimed()
    await direct.make({ ...claim, row: { ...claim.row, argument: 1_000 } }, Date.now())
    expect(failures()).to.equal(0)
    expect(starts.map(({ directUntil }) => directUntil)).to.deep.equal([new Date(1_000)])
  })

  it('give their rows back when the process ends before them', async () => {
    const { promise, resolve } = Promise.withResolvers<AttemptReport>()
    const { direct } = withReport(() => promise)
    const made = direct.make(await claimed(), Date.now())
    await direct.releaseAll()
    expect(await waiting()).to.deep.equal([{ kind: 'start', is_due: 1, tries: 1 }])
    resolve({ kind: 'closed', ending: 'success' })
    await made
    await direct.releaseAll()
  })
})
