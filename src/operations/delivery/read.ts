import type { HoldingWebhook } from '../../domain/delivery/gate.ts'
import { listAttempts as listAttemptRows } from '../../db/delivery/attempts.ts'
import { findDelivery } from '../../db/delivery/deliveries.ts'
import { listDeliveries as listDeliveryRows } from '../../db/delivery/lists.ts'
import { readHealth } from '../../db/webhook/health-rows.ts'
import type { MakeRoom } from '../../db/connection/large-values.ts'
import { attemptCursor, readAttemptCursor } from '../../domain/delivery/lists.ts'
import {
  KEPT_BODIES,
  type Attempt,
  type DeliveryStatus,
  type FoundDelivery,
} from '../../domain/delivery/delivery.ts'
import { invalid, orNotFound } from '../../domain/errors.ts'
import type { CursorPage, CursorRequest, Page, PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { holdsFirstAttempts } from '../../domain/webhook/health.ts'
import type { Webhook } from '../../domain/webhook/webhook.ts'
import type { Deps } from '../../deps/deps.ts'
import { getWebhook } from '../webhook/read.ts'

/** Finds a delivery with its webhook. Refuses an unknown webhook before it reads the delivery. @throws ApiError NOT_FOUND */
export async function getDelivery(
  deps: Deps,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<{ readonly webhook: Webhook; readonly delivery: FoundDelivery }> {
  const webhook = await getWebhook(deps, tenant, webhookId)
  return { webhook, delivery: orNotFound(await findDelivery(deps.db, tenant, webhook.id, id), 'Delivery') }
}

/** A request for a page of a webhook's deliveries. Without `statuses` it lists all. */
type DeliveryPageRequest = PageRequest & {
  readonly statuses?: readonly DeliveryStatus[] | undefined
  /** Whether payloads are read; by default they are. */
  readonly withPayload?: boolean
}

/** Lists the deliveries of a webhook by page, newest first. */
export const listDeliveries = (
  { db }: Deps,
  tenant: Tenant,
  { id }: Webhook,
  { withPayload = true, ...page }: DeliveryPageRequest,
  makeRoom: MakeRoom,
): Promise<Page<FoundDelivery>> => listDeliveryRows(db, tenant, id, page, { withPayload, makeRoom })

/** Reads whether deliveries of the webhook wait now, because of the webhook itself, its company or its endpoint. */
export async function holdingOf(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  webhook: Webhook,
): Promise<HoldingWebhook> {
  const read = await readHealth(db, tenant, webhook.id)
  const isHolding = read !== undefined && holdsFirstAttempts(read.health, read.now)
  const isSuspended = read?.isSuspended ?? false
  return { isActive: webhook.isActive, isSuspended, holdsFirstAttempts: isHolding }
}

/** The latest KEPT_BODIES attempts of a delivery, which still have their response bodies. The oldest comes first. */
export async function listLatestAttempts(
  { db }: Deps,
  tenant: Tenant,
  { id, attempts }: FoundDelivery,
): Promise<readonly Attempt[]> {
  const { items } = await listAttemptRows(db, tenant, id, { latest: attempts, limit: KEPT_BODIES })
  return items.toReversed()
}

/**
 * A page of all attempts of a delivery, newest first.
 *
 * @throws ApiError VALIDATION_ERROR for a cursor that was not made for this delivery
 */
export async function listAttempts(
  { db }: Deps,
  tenant: Tenant,
  delivery: FoundDelivery,
  { limit, cursor }: CursorRequest,
): Promise<CursorPage<Attempt>> {
  const before = cursor === undefined ? undefined : readCursor(delivery, cursor)
  const { items, hasMore } = await listAttemptRows(db, tenant, delivery.id, {
    latest: delivery.attempts,
    limit,
    ...(before !== undefined && { before }),
  })
  const last = items.at(-1)
  return { items, limit, nextCursor: hasMore && last ? attemptCursor(delivery.id, last.number) : null }
}

function readCursor({ id, attempts }: FoundDelivery, cursor: string): number {
  const number = readAttemptCursor(id, cursor)
  if (number !== undefined && number <= attempts) return number
  throw invalid(
    '"cursor" is not one of this delivery: send next_cursor of the page before, or none for the first page.',
  )
}
