import type { CatalogEntry } from '../domain/event/catalog.ts'
import {
  type StoredEvent,
  publisherType,
  type NamedPublisher,
  type ListedEvent,
} from '../domain/event/event.ts'
import { recordNameOf } from '../domain/event/record-name.ts'
import type { Reach } from '../domain/event/reach.ts'
import { StoredJson } from './stored-json.ts'
import type { ListedRecord, ResourceRecord } from '../domain/event/resources.ts'

type Published = Pick<ListedEvent, 'id' | 'type' | 'createdAt' | 'deliveries'>

/** The answer to a publish: the event, and how many deliveries it made. */
export const presentPublishedEvent = (event: Published) => ({
  id: event.id,
  event: event.type,
  created_at: event.createdAt.toISOString(),
  deliveries: event.deliveries,
})

/** An event in a list. The payload is the JSON that was sent. It is absent if the list leaves payloads out. */
export const presentListedEvent = ({ payload, record, recordName, ...event }: ListedEvent) => ({
  ...presentPublishedEvent(event),
  record,
  record_name: recordName,
  payload: payload === null ? undefined : new StoredJson(payload),
})

/** A part of the feed. Its cursor is never null, because later events will follow. */
export const presentFeedPart = (
  { items, isAtEnd }: { readonly items: readonly ListedEvent[]; readonly isAtEnd: boolean },
  limit: number,
  nextCursor: string,
) => ({
  data: items.map(presentListedEvent),
  pagination: { limit, has_more: !isAtEnd, next_cursor: nextCursor },
})

/**
 * One event with its payload.
 *
 * @param deliveries as the API shows them in lists
 * @param reach why each webhook got the event or not; undefined: this is not shown
 */
export const presentEventDetail = (
  event: StoredEvent,
  publisher: NamedPublisher | null,
  deliveries: readonly object[],
  reach?: readonly Reach[],
) => ({
  ...presentListedEvent({
    ...event,
    record: event.record ?? null,
    recordName: recordNameOf(event.body),
    payload: event.body,
  }),
  published_by: publisher && presentPublisher(publisher),
  deliveries,
  webhooks: reach?.map(({ webhookId, deliveryId, reason }) => ({
    webhook_id: webhookId,
    delivery_id: deliveryId,
    reason,
  })),
})

function presentPublisher({ id, name, via }: NamedPublisher) {
  const type = publisherType(id)
  return { type, id: type === 'cli' ? null : id, name, via }
}

/** One type of the catalog. @param schemaUrl where the JSON Schema of its envelope is */
export const presentEventType = (entry: CatalogEntry, schemaUrl: string) => ({
  name: entry.name,
  family: entry.entity,
  description: entry.description,
  example: entry.example,
  schema_url: schemaUrl,
})

/** A record of any family: its id, its fields, its revision and its times. The data of its events has the same form. */
export const presentResource = ({ id, fields, revision, createdAt, updatedAt }: ResourceRecord) => ({
  id,
  ...fields,
  revision,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
})

/**
 * The JSON of presentResource, built from the stored JSON of the fields. To parse and write the fields of a list of large
 * records would block the process for a fifth of a second.
 */
export function presentListedResource({ id, fieldsJson, ...record }: ListedRecord): StoredJson {
  const rest = JSON.stringify({
    revision: record.revision,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  })
  return new StoredJson(
    Buffer.from(`{"id":${JSON.stringify(id)},`),
    // The fields without their braces. There is at least one field.
    fieldsJson.subarray(1, -1),
    Buffer.from(`,${rest.slice(1)}`),
  )
}
