import { isLost } from './errors.ts'

/** How lookups of one kind share queries. */
type Options<Key, Value> = {
  /**
   * Looks the keys up. Returns a map from the name of each found key to a function. The function reads the value from
   * the row. If it throws, only the lookups of that key fail.
   */
  readonly query: (keys: readonly Key[]) => Promise<ReadonlyMap<string, () => Value>>
  readonly nameOf: (key: Key) => string
  /** A query looks up at most this many keys. A longer list would delay the lookups that wait for the next query. */
  readonly keysPerQuery: number
  /**
   * How many queries may run at once. If more queries ran at once, fewer lookups would share each of them, and one more
   * query costs more than one more key. The limit also leaves connections of the pool free.
   */
  readonly queriesAtOnce: number
}

type Lookup<Key, Value> = {
  readonly key: Key
  readonly resolve: (found: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lookups that arrive together share a query. While the allowed number of queries runs, lookups wait for the next query, in
 * the order of their arrival. So even thousands of lookups cost the database few queries and connections. Nothing is
 * cached: a query begins after its lookups, so each lookup sees every change that was committed before it.
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
   * @throws the error of the query, which fails every lookup of that query. If the database is away, the lookups that wait
   *   for the next query fail too.
   */
  find(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      this.#schedule()
    })
  }

  /** Waits for further lookups of the same turn of the event loop. */
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
      // The next query would fail too. So the waiting lookups fail now, and not each after its own time-out.
      const failed = isLost(error) ? [...lookups, ...this.#waiting.splice(0)] : lookups
      for (const { reject } of failed) reject(error)
    } finally {
      this.#queries -= 1
      this.#start()
    }
  }
}

/** If one row cannot be read, only its own lookup fails. */
function answer<Value>({ resolve, reject }: Lookup<unknown, Value>, read: (() => Value) | undefined): void {
  try {
    resolve(read?.())
  } catch (error) {
    reject(error)
  }
}

/** Looks rows up by the hash of a key, a session and the like. Strangers may send thousands of different hashes. */
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
