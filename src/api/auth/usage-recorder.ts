import type { KeyUsage } from '../../domain/key/usage.js'
import type { Deps } from '../../process/deps.js'
import { dayKey } from '../../domain/key/usage.js'
import { LineInterval } from '../../domain/line-interval.js'
import { addUsage } from '../../db/system/key-usage.js'

/** Counts requests per key in the process and writes the counts to the database, at most once per key and flush. */
export type UsageRecorder = {
  /** Counts one request; `at` is the database's clock as authentication read it. Never waits and never fails. */
  record(keyId: string, address: string, at: Date): void
  /** Writes the remaining counts. Call it when no more requests come. */
  stop(): Promise<void>
}

/** Time from the first count to its write. A killed process must lose no more than a second; the write needs the rest. */
const FLUSH_AFTER_MS = 750
/** How often the log says that usage cannot be written, while that lasts. */
const LINE_EVERY_MS = 10_000

type Counts = Map<string, { latest: { at: Date; address: string }; requestsByDay: Map<string, number> }>

type Options = { readonly write?: (usages: readonly KeyUsage[]) => Promise<void> }

/** A recorder that writes to the database; when a write fails, its counts go into the next one. */
export function createUsageRecorder(
  deps: Pick<Deps, 'db' | 'log'>,
  { write = (usages) => addUsage(deps.db, usages) }: Options = {},
): UsageRecorder {
  let counts: Counts = new Map()
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> = Promise.resolve()
  const lines = new LineInterval(LINE_EVERY_MS)

  /** One flush at a time: `timer` stays set until its flush ends. */
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
