import type { Knex } from 'knex'

/**
 * What a caller adds to an operation's transaction. The operation calls it with its result, after its own writes and
 * before the commit, so that both are kept or neither is. It runs again when the transaction is started over.
 */
export type BeforeCommit<T> = (trx: Knex.Transaction, result: T) => Promise<void>
