import type { CatalogEntry } from '../domain/event/catalog.js'

type Published = {
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  readonly deliveries: number
}

/** The answer to a publish: the event and how many deliveries it made. */
export const presentPublishedEvent = (event: Published) => ({
  id: event.id,
  event: event.type,
  created_at: event.createdAt.toISOString(),
  deliveries: event.deliveries,
})

/** One type of the catalog. */
export const presentEventType = (entry: CatalogEntry) => ({
  name: entry.name,
  family: entry.entity,
  description: entry.description,
  example: entry.example,
})
