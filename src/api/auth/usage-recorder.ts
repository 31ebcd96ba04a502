import type { KeyUsage } from '../../domain/key/usage.js'
import type { Deps } from '../../process/deps.js'
import { dayKey } from '../../domain/key/usage.js'
import { LineInterval } from '../../domain/line-interval.js'
import { addUsage } from '../../db/system/key-usage.js'

/** Counts requests per key in the process and writes the counts to the database, at most once per key and flush. */
export type UsageRecorder = {
  /** Counts one request; `at` is the database's clock as authentication read it. Never waits and never fails. */
  record(keyId: string, address: string, at: Date): void
  /** Writes what is left. Call it when no more requests come. */
  stop(): Promise<void>
}

/** From the first count to its write. A killed process loses no more than a second: this leaves the write its time. */
const FLUSH_AFTER_MS = 750
/** While no usage can be written the log says so this often. */
const LINE_EVERY_MS = 10_000

type Counts = Map<string, { latest: { at: Date; address: string }; requestsByDay: Map<string, number> }>

type Options = { readonly write?: (usages: readonly KeyUsage[]) => Promise<void> }

/** A recorder that writes through the operations; a write that fails keeps its counts for the next one. */
export function createUsageRecorder(
  deps: Pick<Deps, 'db' | 'log'>,
  { write = (usages) => addUsage(deps.db, usages) }: Options = {},
): UsageRecorder {
  let counts: Counts = new Map()
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> = Promise.resolve()
  const lines = new LineInterval(LINE_EVERY_MS)

  /** One flush at a time: the timer of a flush that is under way stays set until it ends. */
  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      underWay = flush()
    }, delayMs)
  }

  async function flush(): Promise<void> {
    const startedMs = performance.now()
    const taken = counts
    counts = new Map()
    try {
      if (taken.size > 0) await write(toUsages(taken))
      lines.reset()
    } catch (error) {
      if (lines.admit(startedMs) !== undefined) {
        deps.log.warn({ err: error, keys: taken.size }, 'usage could not be written and is kept')
      }
      for (const usage of toUsages(taken)) add(counts, usage)
    }
    timer = undefined
    const tookMs = performance.now() - startedMs
    if (counts.size > 0) schedule(Math.max(0, FLUSH_AFTER_MS - tookMs))
  }

  return {
    record(keyId, address, at) {
      add(counts, { keyId, latest: { at, address }, requestsByDay: new Map([[dayKey(at), 1]]) })
      schedule(FLUSH_AFTER_MS)
    },
    async stop() {
      clearTimeout(timer)
      await underWay
      clearTimeout(timer)
      await flush()
      clearTimeout(timer)
    },
  }
}

const toUsages = (counts: Counts): KeyUsage[] => [...counts].map(([keyId, usage]) => ({ keyId, ...usage }))

function add(counts: Counts, { keyId, latest, requestsByDay }: KeyUsage): void {
  const usage = counts.get(keyId)
  if (!usage) {
    counts.set(keyId, { latest, requestsByDay: new Map(requestsByDay) })
    return
  }
  if (usage.latest.at <= latest.at) usage.latest = latest
  for (const [day, requests] of requestsByDay) {
    usage.requestsByDay.set(day, (usage.requestsByDay.get(day) ?? 0) + requests)
  }
}
