import { listLatestOfTypes } from '../../db/event/event-places.ts'
import { findEvents } from '../../db/event/events.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { compileConditions, passes, type CompiledFilter } from '../../domain/webhook/filter/compile.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { compileFilter } from '../../domain/webhook/filter/cache.ts'
import { judgeEvents, judgingLimit } from '../../domain/webhook/filter/judging.ts'
import { because, type FilterPreview } from '../../domain/webhook/filter/words.ts'
import type { Deps } from '../../deps/deps.ts'

/** Which events a preview examines. Events of other types never reach the webhook. */
export type PreviewRequest = {
  readonly filter: Filter | null
  readonly types: readonly string[]
  readonly since?: Date | undefined
  readonly limit: number
}

/** A preview shows at most this many events that match, and as many that do not match. */
const EXAMPLES_OF_EACH = 5
/** A preview stops early after this time, or after as many bytes as judgingLimit allows. */
const LONGEST_MS = 1_000

const EVERYTHING: CompiledFilter = compileConditions([])

/** Tells which of the tenant's latest real events match a filter, and why. It reads `limit` of them at most. */
export async function previewFilter(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  tenant: Tenant,
  { filter, types, since = new Date(0), limit }: PreviewRequest,
): Promise<FilterPreview> {
  const compiled = filter ? compileFilter(filter) : null
  const ids = await listLatestOfTypes(db, tenant, { types, since, limit })
  const mayJudge = judgingLimit(LONGEST_MS, clock)
  const examples: FilterPreview['examples'][number][] = []
  const counts = { true: 0, false: 0 }
  const read = (some: readonly string[]) => findEvents(db, tenant, some)
  for await (const { id, verdict, envelope, bytes } of judgeEvents(read, compiled ?? EVERYTHING, ids)) {
    const isMatch = passes(verdict)
    counts[`${isMatch}`] += 1
    if (counts[`${isMatch}`] <= EXAMPLES_OF_EACH)
      examples.push({ eventId: id, isMatch, because: because(compiled, verdict, envelope) })
    if (!mayJudge(bytes)) break
  }
  return { examined: counts.true + counts.false, matched: counts.true, examples }
}
