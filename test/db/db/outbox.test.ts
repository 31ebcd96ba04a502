import { expect } from 'chai'
import { COMMAND_QUEUE, enqueueCommands, type NewCommand } from '../../../src/db/outbox.ts'
import { useDatabase } from '../../support/database.ts'

describe('queueing commands', () => {
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const command = (fields: Partial<NewCommand> = {}): NewCommand => ({
    ...{ kind: 'retry', targetId: 'del_1', queue: COMMAND_QUEUE },
    ...fields,
  })
  const enqueue = (...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId: 'com_1' }, commands)
  const rows = () =>
    database
      .db('outbox')
      .orderBy('id')
      .select('kind', 'company_id', 'version', 'argument', 'tries', 'lease_owner')
      .select(database.db.raw('available_at <= NOW(3) AS is_due'))
  const FRESH = { company_id: 'com_1', version: 1, argument: null, tries: 0, lease_owner: null, is_due: 1 }

  it('makes each of them a row of its own that may be claimed at once', async () => {
    await enqueue(command(), command({ kind: 'wake' }), command({ targetId: 'del_2', argument: 7 }))
    expect(await rows()).to.deep.equal([
      { ...FRESH, kind: 'retry' },
      { ...FRESH, kind: 'wake' },
      { ...FRESH, kind: 'retry', argument: 7 },
    ])
  })

  it('makes a command that is being carried out due again, as a newer version without a lease', async () => {
    await enqueue(command())
    const inAnHour = database.db.raw('NOW(3) + INTERVAL 1 HOUR')
    await database.db('outbox').update({ lease_owner: 'w1', tries: 5, available_at: inAnHour })
    await enqueue(command())
    expect(await rows()).to.deep.equal([{ ...FRESH, kind: 'retry', version: 2 }])
  })

  // decision: Outbox
  it('keeps the highest number of repeated commands, in whatever order they came', async () => {
    for (const [asked, kept] of [
      [undefined, null],
      [2, 2],
      [undefined, 2],
      [5, 5],
      [3, 5],
    ] as const) {
      await enqueue(command(asked === undefined ? {} : { argument: asked }))
      expect((await rows())[0]).to.include({ argument: kept })
    }
  })

  it('queues a command at the time that its caller names', async () => {
    const since = new Date('2026-01-01T00:00:00.000Z')
    await enqueue(command({ since }))
    expect(await database.db('outbox').pluck('available_at')).to.deep.equal([since])
  })

  it('is rolled back with the transaction that it belongs to', async () => {
    const trx = await database.db.transaction()
    await enqueueCommands(trx, { companyId: 'com_1' }, [command()])
    await trx.rollback()
    expect(await rows()).to.deep.equal([])
  })
})
