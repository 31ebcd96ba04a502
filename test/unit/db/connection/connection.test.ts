import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Db, SystemDb, Transaction } from '../../../../src/db/connection/connection.ts'
import { connect, inTransaction } from '../../../../src/db/connection/connection.ts'
import { runIn, type Run } from '../../../../src/db/connection/statements.ts'

describe('the connection to the database', () => {
  /** The target of a connection to the URL. It does not connect. */
  async function settingsOf(url: string): Promise<Record<string, unknown>> {
    const db = connect(url)
    const { connection } = (db.client as { config: { connection: Record<string, unknown> } }).config
    await db.destroy()
    return connection
  }

  for (const [url, expected] of [
    ['mysql://u:p@db.example:3307/sales', { host: 'db.example', port: 3307 }],
    ['mysql://u:p@db.example/sales', { host: 'db.example', port: 3306 }],
    ['mysql://u:p@[::1]:3307/sales', { host: '::1', port: 3307 }],
    ['mysql://us%40er:p%2Fw@localhost/sales', { user: 'us@er', password: 'p/w', database: 'sales' }],
  ] as const)
    it(`goes from ${url} to ${Object.values(expected).join(', ')}`, async () =>
      expect(await settingsOf(url)).to.include(expected))
})

type Takers = {
  readonly span: (...given: (SystemDb | Run<SystemDb>)[]) => Promise<void>
  readonly name: (...given: (Db | Run<Db> | Knex.Transaction)[]) => void
}

/** Never called: the compiler checks it. A line that compiles without an error fails the type check. */
function tryTypes(db: Db, systemDb: SystemDb, trx: Transaction<SystemDb>, { span, name }: Takers) {
  // @ts-expect-error -- a Db names its tenants
  void span(db)
  // @ts-expect-error -- so does a batch of it
  void span(runIn(db))
  void span(systemDb, trx, runIn(systemDb), runIn(trx))
  name(systemDb, trx, runIn(systemDb))
  void inTransaction(systemDb, (system) => span(system))
  // @ts-expect-error -- so does a transaction of it
  void inTransaction(db, (narrow) => span(narrow))
}

describe('a handle that may span tenants', () => {
  it('stays one in its transactions and batches, and no Db becomes one', () =>
    expect(tryTypes).to.be.a('function'))
})
