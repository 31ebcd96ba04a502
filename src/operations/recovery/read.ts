import {
  findRecoveries,
  findRecovery,
  findRecoveryPlaces,
  listStarters,
} from '../../db/recovery/recoveries.ts'
import { countFailed, countMissed } from '../../db/recovery/window.ts'
import { findFilter } from '../../db/webhook/webhooks.ts'
import { listLatestPauses } from '../../db/webhook/pauses.ts'
import type { Deps } from '../../deps/deps.ts'
import { invalid, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { listFingerprint, pageOfPlaces, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type {
  Recovery,
  RecoveryKind,
  StartedRecovery,
  Recoverable,
  Missed,
} from '../../domain/recovery/recovery.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { DAY_MS } from '../../domain/instants.ts'
import { latestPause, WIDENED_MS } from '../../domain/recovery/segments.ts'
import { listNamesOf } from '../audit.ts'
import { getWebhook } from '../webhook/read.ts'

/** One recovery of a webhook. @throws ApiError NOT_FOUND */
export async function getRecovery(
  deps: Deps,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Recovery> {
  const webhook = await getWebhook(deps, tenant, webhookId)
  return orNotFound(await findRecovery(deps.db, tenant, webhook.id, id), 'Recovery')
}

/**
 * Lists recoveries of tenants, newest first.
 *
 * @param webhookId if given, only recoveries of this webhook
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listRecoveries(
  { db }: Pick<Deps, 'db'>,
  tenants: readonly Tenant[],
  webhookId: string | undefined,
  request: CursorRequest,
): Promise<CursorPage<Recovery>> {
  const { limit } = request
  const list = listFingerprint('recoveries', tenants.map(tenantKey), webhookId)
  const before = readPlaceCursor(request, list, (id) => isId('recovery', id))
  const part = await findRecoveryPlaces(db, tenants, webhookId, { limit, before })
  const ids = part.places.map(({ id }) => id)
  return pageOfPlaces(list, part, await findRecoveries(db, tenants, ids), limit)
}

/** Lists the recoveries of one webhook as listRecoveries does, and adds who began each of them. */
export async function listStartedRecoveries(
  deps: Pick<Deps, 'db'>,
  tenant: Tenant,
  webhookId: string,
  request: CursorRequest,
): Promise<CursorPage<StartedRecovery>> {
  const page = await listRecoveries(deps, [tenant], webhookId, request)
  const starters = await listStarters(deps.db, tenant.companyId, webhookId, page.items)
  const names = await listNamesOf(deps, tenant.companyId, [...starters.values()])
  const startedBy = ({ id }: Recovery) => {
    const actorId = starters.get(id)
    return actorId === undefined ? null : { id: actorId, name: names.get(actorId) ?? null }
  }
  return { ...page, items: page.items.map((recovery) => ({ recovery, startedBy: startedBy(recovery) })) }
}

/** What a caller asks to recover: what was created at `since` or later, and before `until` (by default now). */
export type RecoveryInput = {
  readonly kind: RecoveryKind
  readonly since: Date
  readonly until?: Date | undefined
  /** Whether to begin also while the circuit breaker of the endpoint is open. */
  readonly force?: boolean | undefined
}

/**
 * Counts what a recovery of the webhook would send. An `until` in the future is replaced by now, because a recovery
 * sends no deliveries that fail after now, and no events that are missed after now.
 *
 * @throws ApiError VALIDATION_ERROR for a window that ends before it begins
 */
export async function countRecoverable(
  { db, filters, clock, config: { retentionDays } }: Pick<Deps, 'db' | 'config' | 'filters' | 'clock'>,
  tenant: Tenant,
  webhookId: string,
  { kind, since, until: asked }: RecoveryInput,
  now: Date,
): Promise<Recoverable> {
  const until = asked && asked < now ? asked : now
  if (since >= until) throw invalid('"since" must be earlier than "until" and than now.')
  const window = { webhookId, since, until }
  if (kind === 'failed') return { kind, since, until, total: await countFailed(db, window) }
  const json = await findFilter(db, tenant, webhookId)
  const filter = json === null ? null : filters.get(tenant.companyId, json)
  const total = await countMissed(db, tenant, window, { filter, clock, retentionDays, now })
  return { kind, since, until, total }
}

/**
 * The latest pause of a webhook, and the number of missed events that no recovery has sent. The window begins
 * WIDENED_MS before the pause, because a recovery widens a pause by this time. Undefined for a webhook without a pause
 * within the retention.
 */
export async function readMissed(deps: Deps, tenant: Tenant, webhookId: string): Promise<Missed | undefined> {
  const now = deps.clock()
  const kept = new Date(now.getTime() - deps.config.retentionDays * DAY_MS)
  const pause = await findLatestPause(deps, webhookId, { since: kept, until: now })
  if (!pause) return undefined
  const since = new Date(pause.startsAt.getTime() - WIDENED_MS)
  const input = { kind: 'missed', since } as const
  return { pause, recoverable: await countRecoverable(deps, tenant, webhookId, input, now) }
}

/**
 * Pauses that follow each other without a gap are treated as one. Reads more pauses until it finds where the latest
 * one begins. Only a webhook with many changes of its event types needs more than one read.
 */
async function findLatestPause(
  { db }: Deps,
  webhookId: string,
  window: { readonly since: Date; readonly until: Date },
): Promise<Missed['pause'] | undefined> {
  for (let limit = 50; ; limit *= 4) {
    const pauses = await listLatestPauses(db, webhookId, { ...window, limit })
    const latest = latestPause(pauses)
    const oldest = pauses.at(-1)
    if (!latest || !oldest || pauses.length < limit || latest.startsAt > oldest.startsAt) return latest
  }
}
