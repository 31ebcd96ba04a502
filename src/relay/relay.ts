import type { Deps } from '../process/deps.js'
import { isSlow } from '../domain/temporal-errors.js'
import type { Claim, ClaimedRow } from '../db/system/claims.js'
import type { GateRows } from '../db/system/gate-rows.js'
import { releaseRow } from '../db/system/outbox-rows.js'
import { PAGE_QUEUE } from '../db/outbox.js'
import { CandidateFinder } from './candidates.js'
import { claimRows, type RelaySlots } from './claim.js'
import { createBackOff, HeldBackError } from './back-off.js'
import { carryOut } from './commands.js'
import type { CommandContext } from './context.js'
import type { SearchAttribute } from '../workflows/contract.js'

export type Relay = {
  /** Claims at once; the doorbell calls it. */
  ring(): void
  /** Stops claiming and waits for the calls under way. */
  stop(): Promise<void>
}

type Options = {
  readonly owner: string
  readonly leaseMs: number
  readonly slots: RelaySlots
  /** Whether to claim nothing now, because outcomes cannot be recorded. */
  readonly isPaused: () => boolean
  /** The search attributes that Temporal knows. */
  readonly searchAttributes: () => readonly SearchAttribute[]
}

const POLL_MS = 50
/** Rows claimed at once and calls under way at once. */
const BATCH = 64
/** Commands that page through a whole webhook: pages at once, and the shortest time between two pages. */
const PAGES_AT_ONCE = 1
const PAGE_INTERVAL_MS = 500
const RPC_DEADLINE_MS = 5_000
const FIRST_BACKOFF_MS = 200
const LONGEST_BACKOFF_MS = 30_000

/**
 * The claim loop: outbox -> Temporal. Each round claims one row for each call that may still begin. The next round
 * follows at once while there are rows, otherwise at the next ring or poll. A row whose command fails is released and
 * claimed again later; none is dropped. While Temporal is slow, all calls share one back-off and rows wait in the
 * outbox.
 */
export function startRelay(
  deps: Deps,
  { owner, leaseMs, slots, isPaused, searchAttributes }: Options,
): Relay {
  const { db, log, metrics, temporal } = deps
  const underWay = new Set<Promise<void>>()
  const finder = new CandidateFinder()
  let pagesUnderWay = 0
  let nextPageMs = 0
  let isStopped = false
  let wake: () => void = () => undefined
  let isRung = false

  const backOff = createBackOff({
    nowMs: () => performance.now(),
    random: Math.random,
    onChange(isSlowNow, error) {
      metrics.temporalSlow.set(isSlowNow ? 1 : 0)
      if (isSlowNow)
        log.warn({ err: error }, 'Temporal is slow or away: one call at a time, with growing pauses')
      else log.info('Temporal answers again: all calls go on')
    },
  })
  const context: CommandContext = {
    deps,
    owner,
    slots,
    callTemporal: (call) => backOff.call(() => temporal.withDeadline(Date.now() + RPC_DEADLINE_MS, call)),
    searchAttributes,
    isStopping: () => isStopped,
  }

  async function claim(): Promise<Claim[]> {
    const calls = backOff.room(BATCH - (underWay.size - pagesUnderWay))
    if (calls <= 0 || isPaused()) return []
    const pages = Date.now() < nextPageMs ? 0 : PAGES_AT_ONCE - pagesUnderWay
    return claimRows(deps, { calls, pages }, { owner, leaseMs, slots, finder })
  }

  async function handle(row: ClaimedRow, rows: GateRows | undefined): Promise<void> {
    try {
      await carryOut(context, row, rows)
      metrics.relayCommands.inc({ kind: row.kind, result: 'done' })
    } catch (error) {
      metrics.relayCommands.inc({ kind: row.kind, result: 'released' })
      // The shared back-off writes its own line and makes its own pauses; rows must not add theirs.
      const isShared = error instanceof HeldBackError || isSlow(error)
      log[isShared ? 'debug' : 'warn'](
        { err: error, kind: row.kind, subject_id: row.targetId, tries: row.tries },
        'a command is put back',
      )
      const growth = isShared ? 1 : 2 ** Math.min(row.tries, 10)
      const backoffMs = Math.min(FIRST_BACKOFF_MS * growth, LONGEST_BACKOFF_MS)
      await releaseRow(db, row, owner, backoffMs).catch((reason: unknown) => {
        log.warn({ err: reason, subject_id: row.targetId }, 'the command comes back when its lease ends')
      })
    }
  }

  async function round(): Promise<boolean> {
    const claimed = await claim()
    if (claimed.length === 0) return false
    for (const { row, delivery } of claimed) begin(row, delivery)
    return true
  }

  function begin(row: ClaimedRow, rows: GateRows | undefined): void {
    const isPage = row.queue === PAGE_QUEUE
    if (isPage) {
      pagesUnderWay += 1
      nextPageMs = Date.now() + PAGE_INTERVAL_MS
    }
    const work = handle(row, rows).finally(() => {
      underWay.delete(work)
      if (isPage) pagesUnderWay -= 1
      else if (underWay.size - pagesUnderWay === BATCH - 1) wake()
    })
    underWay.add(work)
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!isStopped) {
      try {
        isRung = false
        const isBusy = await round()
        failures = 0
        if (!isBusy) await rest(POLL_MS)
      } catch (error) {
        failures += 1
        if (failures === 1) log.warn({ err: error }, 'the outbox cannot be read; trying again')
        await rest(Math.min(POLL_MS * 2 ** Math.min(failures, 10), 2_000))
      }
    }
  }

  /** Waits for the next ring, or until the time is over. Returns at once when the bell rang during the last round. */
  function rest(durationMs: number): Promise<void> {
    if (isRung || isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const running = run()
  return {
    ring() {
      isRung = true
      wake()
    },
    async stop() {
      isStopped = true
      wake()
      await running
      await Promise.allSettled(underWay)
    },
  }
}
