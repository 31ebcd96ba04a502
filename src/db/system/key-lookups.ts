import { toFoundKey, type FoundRow } from '../key/rows.js'
import type { FoundKey } from '../../domain/key/key.js'
import type { Db } from '../connection/connection.js'
import { isLost } from '../../domain/database-errors.js'
import { findKeyRows } from './api-keys.js'

/** Keys per query; a longer list of hashes would delay the lookups behind it. */
const KEYS_PER_QUERY = 100

/**
 * Queries at once. With more of them each finds fewer lookups to share it, and to send a query costs more than to look
 * one more key up. The other connections of the pool stay free for the requests of valid keys.
 */
const QUERIES_AT_ONCE = 2

type Lookup = {
  readonly keyHash: Buffer
  readonly resolve: (found: FoundKey | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks up the keys of requests. Lookups that arrive together share a query. While enough queries are under way, lookups
 * wait for the next one, first come, first served. So thousands of unknown keys cost the database and its connections
 * little. Nothing is cached: the query of a lookup begins after the lookup, so that it sees every change committed
 * before.
 */
export class KeyLookups {
  readonly #db: Db
  #waiting: Lookup[] = []
  #queries = 0
  #isScheduled = false

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * The key with this SHA-256, or undefined.
   *
   * @throws the error of the query; it fails every lookup that shared the query. When the database is away, it also fails
   *   those that wait for the next query.
   */
  find(keyHash: Buffer): Promise<FoundKey | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyHash, resolve, reject })
      this.#schedule()
    })
  }

  /** Waits for the requests that are read in the same iteration of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  #start(): void {
    while (this.#queries < QUERIES_AT_ONCE && this.#waiting.length > 0) {
      void this.#query(this.#waiting.splice(0, KEYS_PER_QUERY))
    }
  }

  async #query(lookups: readonly Lookup[]): Promise<void> {
    this.#queries += 1
    try {
      const rows = await findKeyRows(
        this.#db,
        lookups.map(({ keyHash }) => keyHash),
      )
      for (const lookup of lookups) answer(lookup, rows)
    } catch (error) {
      // The next query would fail too, so waiting lookups fail now and not each after a time-out of its own.
      const failed = isLost(error) ? [...lookups, ...this.#waiting.splice(0)] : lookups
      for (const { reject } of failed) reject(error)
    } finally {
      this.#queries -= 1
      this.#start()
    }
  }
}

/** A row that cannot be read fails its own lookup alone. */
function answer({ keyHash, resolve, reject }: Lookup, rows: ReadonlyMap<string, FoundRow>): void {
  const row = rows.get(keyHash.toString('hex'))
  try {
    resolve(row && toFoundKey(row))
  } catch (error) {
    reject(error)
  }
}
