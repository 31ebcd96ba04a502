import { addUsage, type KeyUsage } from '../../db/key/usage.js'
import type { Deps } from '../../process/deps.js'

/** Adds requests that a process counted to the figures of their keys. All or nothing. */
export const recordUsage = ({ db }: Pick<Deps, 'db'>, usages: readonly KeyUsage[]): Promise<void> =>
  addUsage(db, usages)
