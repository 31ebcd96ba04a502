// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { connect, type SystemDb } from '../../../../src/db/connection/connection.ts'
import { useDatabase } from '../../../support/database.ts'
import { untilSo } from '../../../support/poll.ts'
import { words } from '../../../support/words.ts'

// decision: Age of connections
describe('connections of the pool', () => {
  const database = useDatabase()

  const connectionId = async (db: SystemDb) =>
    (await db.select(db.raw('CONNECTION_ID() AS id')).first<{ id: number }>()).id

  // decision: READ COMMITTED
  it('all work alike on both servers: UTC, one SQL mode, READ COMMITTED', async () => {
    const [rows] = await database.db.raw<[{ Variable_name: string; Value: string }[]]>(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('time_zone', 'sql_mode', 'tx_isolation', 'transaction_isolation')",
    )
    const valueOf = (pattern: RegExp) =>
      rows?.find(({ Variable_name }) => pattern.test(Variable_name))?.Value ?? 'none'
    expect(valueOf(/^time_zone$/)).to.equal('+00:00')
    // Each server has its own name for it; some have both.
    expect(valueOf(/_isolation$/)).to.equal('READ-COMMITTED')
    expect(valueOf(/^sql_mode$/).split(',')).to.have.members(
      words(`ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE
        ERROR_FOR_DIVISION_BY_ZERO NO_ENGINE_SUBSTITUTION`),
    )
  })

  it('are replaced when their time is over, however busy they are, and not before', async () => {
    const [short, long] = [30, 600_000].map((connectionLifetimeMs) =>
      connect(database.url, { poolSize: 1, connectionLifetimeMs }),
    ) as [SystemDb, SystemDb]
    const [first, kept] = [await connectionId(short), await connectionId(long)]
    await untilSo(async () => (await connectionId(short)) !== first, { what: 'another connection' })
    expect(await connectionId(long)).to.equal(kept)
    await Promise.all([short.destroy(), long.destroy()])
  })
})
