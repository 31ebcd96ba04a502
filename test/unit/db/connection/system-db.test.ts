import { expect } from 'chai'
import type { Knex } from 'knex'
import {
  inTransaction,
  type Db,
  type SystemDb,
  type Transaction,
} from '../../../../src/db/connection/connection.ts'
import { runIn, type Run } from '../../../../src/db/connection/statements.ts'

type Takers = {
  readonly span: (...given: (SystemDb | Run<SystemDb>)[]) => Promise<void>
  readonly name: (...given: (Db | Run<Db> | Knex.Transaction)[]) => void
}

/** Never called: the compiler is who tries it. A line that it would take fails the check of types. */
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
