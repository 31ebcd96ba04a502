import { isId, type Entity } from '../domain/ids.ts'

/**
 * The value by which a row is found that an id of a caller names. The database ignores spaces at the end when it compares, so
 * `whk_… ` would find the row too, and what is then written under that id would belong to nothing. A malformed id becomes one
 * that no row has.
 */
export const exactId = (entity: Entity, id: string): string => (isId(entity, id) ? id : '')
