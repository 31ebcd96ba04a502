import { Slots } from '../../src/attempts/slots.ts'
import { CandidateFinder } from '../../src/relay/candidates.ts'
import { claimRows, type Room } from '../../src/relay/claim.ts'
import { carryOut } from '../../src/relay/commands.ts'
import { type RelayContext, settleRow, Walks } from '../../src/relay/context.ts'
import type { EndpointLimits } from '../../src/attempts/endpoint-limits.ts'
import { newLimits } from './endpoint-limits.ts'
import { Probes } from '../../src/relay/probes.ts'
import { useOperations } from './use-operations.ts'

/** How many slots each webhook has. */
export const SLOTS = 2

/** How many slots all webhooks have together. */
export const CAPACITY = 100

/**
 * Carries out the commands of one company while Temporal is down: every call fails with `away`, and is counted.
 * The outbox is empty before each test.
 */
export function useCommands() {
  const its = useOperations()
  const lease = { owner: 'w1', leaseMs: 60_000 }
  let slots: Slots
  let limits: EndpointLimits
  let walks: Walks
  let companyWalks: RelayContext['companyWalks']
  let calls = 0
  beforeEach(async () => {
    calls = 0
    walks = new Walks()
    companyWalks = new Walks()
    // The clock stands still, so that no reservation lapses while a test is slow.
    slots = new Slots({ limit: () => SLOTS, capacity: CAPACITY, now: () => 0 })
    limits = newLimits(its.deps)
    await its.db('outbox').delete()
  })
  const claimAll = (given: Partial<Room> = {}) => {
    const room = { calls: 10, handovers: 10, keptForHandovers: 0, direct: undefined, pages: 10, ...given }
    const probes = new Probes(its.deps, { ...lease, limits })
    const parts = { ...lease, slots, limits, probes, finder: new CandidateFinder() }
    return claimRows(its.deps, room, { ...parts, isDirect: room.direct !== undefined })
  }
  const claim = async (room: Partial<Room> = {}) => (await claimAll(room)).claims.map(({ row }) => row)
  return {
    its,
    slots: () => slots,
    limits: () => limits,
    calls: () => calls,
    claim,
    claimAll,
    /** Claims the due commands and carries them out in turn. Returns their kinds. */
    work: async (room: Partial<Room> = {}, overrides: Partial<RelayContext> = {}): Promise<string[]> => {
      const context: RelayContext = {
        deps: its.deps,
        slots,
        walks,
        companyWalks,
        pace: { started: () => undefined },
        local: { isFull: () => false },
        callTemporal: () => {
          calls += 1
          return Promise.reject(new Error('away'))
        },
        searchAttributes: () => [],
        isStopping: () => false,
        ...overrides,
      }
      const { claims } = await claimAll(room)
      for (const claim of claims)
        await settleRow(its.deps.db, claim.row, 'w1', await carryOut(context, claim))
      return claims.map(({ row }) => row.kind)
    },
    /** The waiting commands: whether each may be claimed now, and how often it was tried. */
    waiting: (): Promise<{ kind: string; is_due: number; tries: number }[]> =>
      its.db('outbox').orderBy('id').select('kind', 'tries', its.db.raw('available_at <= NOW(3) AS is_due')),
    /** The delay in ms from a moment until the only waiting command may be claimed. */
    pauseMs: async (since: Date): Promise<number> => {
      const [row] = await its.db('outbox').where({ lease_owner: null }).select('available_at')
      return row.available_at.getTime() - since.getTime()
    },
  }
}
