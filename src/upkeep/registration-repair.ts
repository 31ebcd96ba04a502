import type { SystemDeps } from '../deps/deps.ts'
import type { Job } from './upkeep.ts'

/**
 * Registers at Temporal what is missing there, for example after its server has lost its store. Every worker does it, because
 * each remembers by itself which search attributes Temporal knows.
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
