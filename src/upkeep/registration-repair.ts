import type { SystemDeps } from '../deps/deps.ts'
import type { Job } from './upkeep.ts'

/**
 * Registers at Temporal what is missing there. Its server may have lost its store, or an operator may have added what was
 * missing. Each worker does it, because each keeps in mind what it found.
 */
export const createRegistrationRepair = (
  { log }: Pick<SystemDeps, 'log'>,
  prepareTemporal: () => Promise<void>,
): Job => ({
  async look() {
    await prepareTemporal().catch((error: unknown) =>
      log.warn({ err: error }, 'what is registered at Temporal could not be checked'),
    )
  },
})
