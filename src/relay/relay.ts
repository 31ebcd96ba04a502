import type { Deps } from '../deps.js'
import type { ClaimedRow } from '../db/system/claims.js'
import { readManyGateRows, type GateRows } from '../db/system/gate-rows.js'
import { releaseRow } from '../db/system/leases.js'
import { claimRows, type RelaySlots } from './claim.js'
import { carryOut } from './commands.js'
import type { CommandContext } from './context.js'

export type Relay = {
  /** Claims at once; rung by the doorbell. */
  ring(): void
  /** Stops claiming and waits for the calls under way. */
  stop(): Promise<void>
}

type Options = {
  readonly owner: string
  readonly leaseMs: number
  readonly slots: RelaySlots
  /** Whether claiming should pause: outcomes cannot be recorded. */
  readonly isPaused: () => boolean
}

const POLL_MS = 50
/** Rows claimed at once and calls under way at once. */
const BATCH = 64
const RPC_DEADLINE_MS = 5_000
const FIRST_BACKOFF_MS = 200
const LONGEST_BACKOFF_MS = 30_000

/**
 * The claim loop: outbox -> Temporal (design section 3 steps 2 and 3). It claims as many rows as calls may be added,
 * at once while there are rows, else at the next ring or poll. Whatever fails is released with back-off; nothing is
 * dropped.
 */
export function startRelay(deps: Deps, { owner, leaseMs, slots, isPaused }: Options): Relay {
  const { db, log, metrics, temporal } = deps
  const underWay = new Set<Promise<void>>()
  let isStopped = false
  let wake: () => void = () => undefined
  let isRung = false

  const context: CommandContext = {
    deps,
    owner,
    leaseMs,
    withDeadline: (call) => temporal.withDeadline(Date.now() + RPC_DEADLINE_MS, call),
  }

  async function claim(): Promise<ClaimedRow[]> {
    const room = BATCH - underWay.size
    return room <= 0 || isPaused() ? [] : claimRows(db, room, { owner, leaseMs, slots })
  }

  async function handle(row: ClaimedRow, rows: GateRows | undefined): Promise<void> {
    try {
      await carryOut(context, row, rows)
      metrics.relayCommands.inc({ kind: row.kind, result: 'done' })
    } catch (error) {
      metrics.relayCommands.inc({ kind: row.kind, result: 'released' })
      log.warn(
        { err: error, kind: row.kind, subject_id: row.subjectId, tries: row.tries },
        'a command is put back',
      )
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(row.tries, 10), LONGEST_BACKOFF_MS)
      await releaseRow(db, row, owner, backoffMs).catch((reason: unknown) => {
        log.warn({ err: reason, subject_id: row.subjectId }, 'the command comes back when its lease ends')
      })
    }
  }

  async function turn(): Promise<boolean> {
    const claimed = await claim()
    if (claimed.length === 0) return false
    const ids = claimed.map(({ subjectId }) => subjectId)
    const rows = await readManyGateRows(db, ids)
    for (const row of claimed) {
      const work = handle(row, rows.get(row.subjectId)).finally(() => {
        underWay.delete(work)
        if (underWay.size === BATCH - 1) wake()
      })
      underWay.add(work)
    }
    return true
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!isStopped) {
      try {
        isRung = false
        const isBusy = await turn()
        failures = 0
        if (!isBusy) await rest(POLL_MS)
      } catch (error) {
        failures += 1
        if (failures === 1) log.warn({ err: error }, 'the outbox cannot be read; trying again')
        await rest(Math.min(POLL_MS * 2 ** Math.min(failures, 10), 2_000))
      }
    }
  }

  /** Until the next ring, or the time is over. A ring that came while a turn was on its way counts. */
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
