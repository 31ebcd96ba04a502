import type { ResourceRecord } from '../domain/resources.js'

/** A record of any family: its id, the fields of its description, and its times. It is also the data of its events. */
export const presentResource = ({ id, fields, createdAt, updatedAt }: ResourceRecord) => ({
  id,
  ...fields,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
})
