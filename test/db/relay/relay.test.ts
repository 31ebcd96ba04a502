import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { changeWebhook } from '../../../src/operations/webhook/change.ts'
import { Slots } from '../../../src/attempts/slots.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import type { Deps } from '../../../src/process/deps.ts'
import { Relay } from '../../../src/relay/relay.ts'
import { until } from '../../support/poll.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { useCommands } from '../../support/use-commands.ts'

describe('the relay', () => {
  const { its, tenant, create, slots, queued } = useCommands()

  /** A command that needs no call to Temporal. */
  async function queueCommand(): Promise<void> {
    const { webhook } = await create({ isActive: false })
    await changeWebhook(its.deps, tenant(), COMMAND_LINE, webhook.id, { isActive: true })
  }
  const options = () => ({
    ...{ owner: 'w1', leaseMs: 60_000, slots: slots(), limits: newLimits(its.deps) },
    firstAttempts: { isDirect: () => false, takes: () => false },
    attempts: { makeDirect: () => Promise.reject(new Error('not direct')) },
    searchAttributes: () => [],
  })
  function start(isPaused: () => boolean): Relay {
    const relay = new Relay(its.deps, { ...options(), isPaused })
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
      await until(
        () => asked,
        (times) => times >= 3,
      )
      expect(await queued()).to.deep.equal(['resume-webhook'])
      isStuck = false
      await until(queued, (kinds) => kinds.length === 0)
    } finally {
      await relay.stop()
    }
  })

  // decision: Calls under way
  it('has few calls to Temporal under way at once', async () => {
    const rows = 60
    await create()
    await publishEvents(
      its.deps,
      tenant(),
      Array.from({ length: rows }, () => ({ type: 'contact.created' as const, data: {} })),
    )
    const answers: (() => void)[] = []
    const call = () => new Promise<void>((resolve) => answers.push(resolve))
    const temporal = { withDeadline: (_: number, made: () => unknown) => made(), workflow: { start: call } }
    const relay = new Relay(
      { ...its.deps, temporal: temporal as unknown as Deps['temporal'] },
      {
        ...{ ...options(), isPaused: () => false },
        slots: new Slots({ limit: () => rows, capacity: 10 * rows, now: () => 0 }),
      },
    )
    relay.start()
    let most = 0
    let answered = 0
    try {
      while (answered < rows) {
        await until(
          () => answers.length,
          (waiting) => waiting === Math.min(16, rows - answered),
        )
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

  it('stops only after it has carried out what it claimed', async () => {
    const { db } = its.database
    await queueCommand()
    const holder = await db.transaction()
    await holder('webhooks').forUpdate()
    const relay = start(() => false)
    try {
      const unclaimed = () => db('outbox').whereNull('lease_owner')
      await until(unclaimed, (rows: unknown[]) => rows.length === 0)
    } finally {
      const stopped = relay.stop()
      await holder.rollback()
      await stopped
    }
    expect(await queued()).to.deep.equal([])
  })
})
