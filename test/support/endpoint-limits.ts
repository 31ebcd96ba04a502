import { EndpointLimits } from '../../src/attempts/endpoint-limits.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'

/** The limits of endpoints as a worker knows them, by default one that is alone. */
export const newLimits = (deps: Pick<SystemDeps, 'db'>, nowMs = () => performance.now(), liveWorkers = 1) =>
  new EndpointLimits(deps, { liveWorkers: () => liveWorkers, nowMs })
