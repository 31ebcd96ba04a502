import { findDeliveries, type FoundDelivery } from '../../db/delivery/deliveries.js'
import { listEventDeliveryIds } from '../../db/delivery/event-deliveries.js'
import { listNewest } from '../../db/delivery/newest.js'
import { findEvents } from '../../db/event/events.js'
import { readHealths } from '../../db/webhook/health.js'
import { listWebhookIds } from '../../db/webhook/webhooks.js'
import type { DeliveryStatus, HoldingWebhook } from '../../domain/delivery/delivery.js'
import { notFound } from '../../domain/errors.js'
import type { StoredEvent } from '../../domain/event/event.js'
import { isClientEventId } from '../../domain/ids.js'
import { cursorPage, listCursor, readMoment, readPlace } from '../../domain/list-cursor.js'
import type { CursorPage, CursorRequest } from '../../domain/pagination.js'
import type { Environment, Tenant } from '../../domain/tenant.js'
import { holdsFirstAttempts } from '../../domain/webhook/health.js'
import type { Deps } from '../../process/deps.js'

/** A delivery without its payload, and what may hold it back. */
export type DeliveryOverview = {
  readonly environment: Environment
  readonly delivery: FoundDelivery
  readonly webhook: HoldingWebhook
}

/** Which deliveries a list is of; `webhookId` undefined lists those of all webhooks of the tenants. */
export type OverviewScope = { readonly tenants: readonly Tenant[]; readonly webhookId?: string | undefined }

/**
 * Lists deliveries of several webhooks, newest first. Those of deleted webhooks are not among them.
 *
 * @param statuses undefined lists all
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listOverviews(
  { db }: Deps,
  { tenants, webhookId }: OverviewScope,
  request: CursorRequest & { readonly statuses: readonly DeliveryStatus[] | undefined },
): Promise<CursorPage<DeliveryOverview>> {
  const before = readPlace(request, 2, ([moment, id]) => {
    const createdAt = readMoment(moment)
    return createdAt && id !== undefined ? { createdAt, id } : undefined
  })
  const webhookIds =
    webhookId === undefined
      ? (await Promise.all(tenants.map((tenant) => listWebhookIds(db, tenant)))).flat()
      : [webhookId]
  const { statuses, limit } = request
  const places = await listNewest(db, webhookIds, { statuses, limit: limit + 1, before })
  const page = cursorPage(places, limit, ({ createdAt, id }) => listCursor(createdAt.toISOString(), id))
  const ids = page.items.map(({ id }) => id)
  const found = (await Promise.all(tenants.map((tenant) => readOverviews({ db }, tenant, ids)))).flat()
  const byId = new Map(found.map((overview) => [overview.delivery.id, overview]))
  return { ...page, items: ids.flatMap((id) => byId.get(id) ?? []) }
}

/** An event of the tenant and its deliveries to the webhooks that are there now. @throws ApiError NOT_FOUND */
export async function getEvent(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  id: string,
): Promise<{ event: StoredEvent; deliveries: readonly DeliveryOverview[] }> {
  const [event] = isClientEventId(id) ? await findEvents(db, tenant, [id]) : []
  if (!event) throw notFound('Event')
  const ids = await listEventDeliveryIds(db, tenant, await listWebhookIds(db, tenant), id)
  return { event, deliveries: await readOverviews({ db }, tenant, ids) }
}

async function readOverviews(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  ids: readonly string[],
): Promise<DeliveryOverview[]> {
  const deliveries = await findDeliveries(db, tenant, ids)
  const webhookIds = [...new Set(deliveries.map((delivery) => delivery.webhookId))]
  const healths = await readHealths(db, tenant, webhookIds)
  return deliveries.flatMap((delivery) => {
    const read = healths.get(delivery.webhookId)
    if (!read) return []
    const webhook = { isActive: read.isActive, holdsFirstAttempts: holdsFirstAttempts(read.health, read.now) }
    return [{ environment: tenant.environment, delivery, webhook }]
  })
}
