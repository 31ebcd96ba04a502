import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  outboxRows,
  publish,
  TAKE_OVER_MS,
  workflowOf,
} from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, makersOf } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'

describe('a database that takes no outcome of a direct first attempt for longer than its lease', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { retry_schedule: [600] } })

  it('gets it later, and nothing is sent twice meanwhile', async () => {
    const { db } = use.stack
    await db.raw(
      "CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'",
    )
    use.stack.receiver.behave(use.webhook.path, { status: 500 })
    const worker = await use.worker()
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryOf(use.stack, use.eventId)
    // The attempt ran out of time, so its row waits for the next claim. The test keeps it there.
    const row = () => db('outbox').where({ kind: 'start', subject_id: id })
    await until(
      () =>
        row()
          .where({ lease_owner: null })
          .andWhere('tries', '>', 0)
          .update({ available_at: db.raw('NOW(3) + INTERVAL 1 HOUR') }) as Promise<number>,
      (held) => held === 1,
      { withinMs: TAKE_OVER_MS, what: 'a row that was given back' },
    )
    await until(
      () => worker.output().split('\n'),
      (lines) =>
        lines.some(
          (line) => line.includes(id as string) && line.includes('an attempt failed by our own fault'),
        ),
    )
    await db.raw('DROP TRIGGER refuse')
    await deliveryWith(use.stack, use.eventId, ({ attempts }) => attempts === 1)
    await outboxRows(use.stack, id, 0)
    expect(await deliveryOf(use.stack, use.eventId)).to.include({ attempts: 1, response_code: 500 })
    expect((await workflowOf(use.stack, id))!.status.name).to.equal('RUNNING')
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
    expect(use.requests()).to.have.length(1)
    await expectSoundRows(db)
  })
})
