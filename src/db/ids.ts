import { isId, type Entity } from '../domain/ids.ts'

/**
 * The value with which a query looks for the id that a caller gave. The database ignores spaces at the end when it
 * compares. So `whk_… ` would find the row too, and rows written under that id would belong to nothing. A malformed id
 * becomes one that no row has.
 */
export const exactId = (entity: Entity, id: string): string => (isId(entity, id) ? id : '')
