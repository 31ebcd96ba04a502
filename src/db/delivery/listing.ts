import { DELIVERY_STATUSES } from '../../domain/delivery/delivery.ts'
import { codesOf, type DeliveryFilter } from '../../domain/delivery/lists.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { NOTHING, sql, type Statement } from '../connection/statements.ts'
import type { Listing } from '../place-statements.ts'
import { ofTenantSql, allOf, anyOf, contains, containsInJson } from '../conditions.ts'
import { JOIN_EVENT } from './rows.ts'

/**
 * Whose deliveries a list shows. With `webhookId`: the deliveries of this webhook; the caller knows that it belongs to
 * the tenants. Without: the deliveries of all the tenants' webhooks that are not deleted.
 */
export type DeliveryScope = { readonly tenants: readonly Tenant[]; readonly webhookId?: string | undefined }

/** No index has deliveries of several statuses in one order, so each status is a range of its own. */
export function deliveryListing({ tenants, webhookId }: DeliveryScope, filter: DeliveryFilter): Listing {
  const ofStatuses = (own: Statement): Statement[] =>
    (filter.statuses ?? DELIVERY_STATUSES).map((status) => sql`${own} AND status = ${status}`)
  if (webhookId !== undefined) {
    return {
      from: sql`deliveries FORCE INDEX (deliveries_status)`,
      ranges: ofStatuses(sql`webhook_id = ${webhookId}`),
      shows: shownRows(filter),
    }
  }
  return {
    from: sql`deliveries FORCE INDEX (deliveries_tenant)`,
    ranges: tenants.flatMap((tenant) => ofStatuses(ofTenantSql(tenant))),
    shows: shownRows(filter, sql`w.id IS NOT NULL`),
  }
}

/**
 * The condition by which a list chooses among the places that it reads. It uses columns that are in no index of lists.
 * undefined if the list shows all places.
 *
 * @param ofWebhook a condition on the webhook `w`
 */
export function shownRows(filter: DeliveryFilter, ofWebhook?: Statement): Listing['shows'] {
  const { eventType, response, text } = filter
  const hasText = text === undefined ? undefined : textCondition(text)
  const conditions = [
    ofWebhook,
    eventType === undefined ? undefined : sql`d.event_type = ${eventType}`,
    response && responseCondition(response),
    hasText,
  ]
  if (conditions.every((condition) => condition === undefined)) return undefined
  const joins = sql`
    ${JOIN_ROW}
    ${(ofWebhook ?? hasText) ? JOIN_WEBHOOK : NOTHING}
    ${hasText ? sql`LEFT ${JOIN_EVENT}` : NOTHING}`
  return { joins, condition: allOf(conditions) }
}

/** Joins the delivery of a place. Its columns are NULL if the purge has removed the delivery since. */
const JOIN_ROW = sql`LEFT JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = scanned.id`

const JOIN_WEBHOOK = sql`LEFT JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = d.webhook_id AND w.deleted_at IS NULL`

function responseCondition(response: NonNullable<DeliveryFilter['response']>): Statement {
  if (response === 'none') return sql`d.id IS NOT NULL AND d.response_code IS NULL`
  const [lowest, highest] = codesOf(response)
  return sql`d.response_code BETWEEN ${lowest} AND ${highest}`
}

/** The payload is compared last, because it may be large. So it is read only if nothing else contains the text. */
const textCondition = (text: string): Statement =>
  anyOf([contains('w.url', text), contains('d.response_body', text), containsInJson('e.body', text)])
