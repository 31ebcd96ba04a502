import { selectFoundKeys, toFoundKey, type FoundKeyRow } from './rows.ts'
import type { FoundKey } from '../../domain/key/key.ts'
import type { SystemDb } from '../connection/connection.ts'
import { SharedLookups } from '../connection/shared-lookups.ts'
import { placeholders } from '../connection/statements.ts'

/** The key of a request, and whether its company is suspended. */
export type RequestKey = FoundKey & { readonly isSuspended: boolean }

/** Looks up the keys of requests by the SHA-256 of the whole key. */
export type KeyLookups = SharedLookups<Buffer, RequestKey>

const toRequestKey = (row: FoundKeyRow): RequestKey => ({
  ...toFoundKey(row),
  isSuspended: row.is_suspended === 1,
})

const nameOf = (keyHash: Buffer): string => keyHash.toString('hex')

/**
 * Looks keys up by the SHA-256 of the whole key: one query on an index, whatever their number. The database's clock is
 * read in the same query.
 */
const findKeyRows = (db: SystemDb, keyHashes: readonly Buffer[]): Promise<FoundKeyRow[]> =>
  selectFoundKeys(db, `WHERE k.key_hash IN (${placeholders(keyHashes.length)})`, keyHashes)

/** Lookups that share queries, so that thousands of unknown keys cost the database and its connections little. */
export const createKeyLookups = (db: SystemDb): KeyLookups =>
  new SharedLookups({
    query: async (keyHashes) =>
      new Map(
        (await findKeyRows(db, keyHashes)).map((row) => [nameOf(row.key_hash), () => toRequestKey(row)]),
      ),
    nameOf,
    keysPerQuery: 100,
    queriesAtOnce: 2,
  })
