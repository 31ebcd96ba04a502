import { isLost } from './errors.ts'

/** How lookups of one kind share queries. */
type Options<Key, Value> = {
  /**
   * Looks the keys up. Returns, by the name of each key found, a function that reads the value from its row. If the
   * function throws, only the lookups of that key fail.
   */
  readonly query: (keys: readonly Key[]) => Promise<ReadonlyMap<string, () => Value>>
  readonly nameOf: (key: Key) => string
  /** Keys per query; a longer list would delay the lookups after it. */
  readonly keysPerQuery: number
  /**
   * Queries at once. With more of them, fewer lookups would share each, and one more query costs more than one more key.
   * The other connections of the pool stay free.
   */
  readonly queriesAtOnce: number
}

type Lookup<Key, Value> = {
  readonly key: Key
  readonly resolve: (found: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lookups that arrive together share a query. While enough queries are under way, lookups wait for the next one, first
 * come, first served. So thousands of lookups cost the database and its connections little. Nothing is cached: the query
 * of a lookup begins after the lookup, so that it sees every change committed before.
 */
export class SharedLookups<Key, Value> {
  readonly #options: Options<Key, Value>
  #waiting: Lookup<Key, Value>[] = []
  #queries = 0
  #isScheduled = false

  constructor(options: Options<Key, Value>) {
    this.#options = options
  }

  /**
   * The value of the key, or undefined.
   *
   * @throws the error of the query; it fails every lookup that shared the query. When the database is away, it also fails
   *   those that wait for the next query.
   */
  find(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      this.#schedule()
    })
  }

  /** Waits for the lookups that come in the same turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  #start(): void {
    const { queriesAtOnce, keysPerQuery } = this.#options
    while (this.#queries < queriesAtOnce && this.#waiting.length > 0) {
      void this.#query(this.#waiting.splice(0, keysPerQuery))
    }
  }

  async #query(lookups: readonly Lookup<Key, Value>[]): Promise<void> {
    this.#queries += 1
    const { query, nameOf } = this.#options
    try {
      const found = await query(lookups.map(({ key }) => key))
      for (const lookup of lookups) answer(lookup, found.get(nameOf(lookup.key)))
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
function answer<Value>({ resolve, reject }: Lookup<unknown, Value>, read: (() => Value) | undefined): void {
  try {
    resolve(read?.())
  } catch (error) {
    reject(error)
  }
}

/** Looks rows up by a hash of which strangers may send thousands, such as that of a key or a session. */
export const lookupsByHash = <Value>(
  query: (hashes: readonly Buffer[]) => Promise<(readonly [hash: Buffer, read: () => Value])[]>,
): SharedLookups<Buffer, Value> => {
  const nameOf = (hash: Buffer) => hash.toString('hex')
  return new SharedLookups({
    query: async (hashes) => new Map((await query(hashes)).map(([hash, read]) => [nameOf(hash), read])),
    nameOf,
    keysPerQuery: 100,
    queriesAtOnce: 2,
  })
}
