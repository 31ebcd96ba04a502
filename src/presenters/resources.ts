import type { ListedRecord, ResourceRecord } from '../domain/event/resources.ts'
import { StoredJson } from './stored-json.ts'

/** A record of any family: its id, the fields of its description, its revision and its times. It is also the data of its events. */
export const presentResource = ({ id, fields, revision, createdAt, updatedAt }: ResourceRecord) => ({
  id,
  ...fields,
  revision,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
})

/**
 * The JSON of presentResource, put together from the fields as they were stored. Parsing and writing the fields of a list
 * of large records would block the process for a fifth of a second.
 */
export function presentListedResource({ id, fieldsJson, ...record }: ListedRecord): StoredJson {
  const rest = JSON.stringify({
    revision: record.revision,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  })
  return new StoredJson(
    Buffer.from(`{"id":${JSON.stringify(id)},`),
    // Without its braces. A record has at least one field.
    fieldsJson.subarray(1, -1),
    Buffer.from(`,${rest.slice(1)}`),
  )
}
