import { createAuthParts, type AuthParts } from '../../src/api/auth/authenticate.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'

/** Authentication that does not count what keys are used for, so nothing is left to be written when a test ends. */
export const authWithoutUsage = (deps: SystemDeps): AuthParts => ({
  ...createAuthParts(deps),
  usage: { record: () => undefined, recordResponse: () => undefined },
})
