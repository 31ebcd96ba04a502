import { EndpointLimits } from '../../src/attempts/endpoint-limits.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'

/** The limits of endpoints as a worker that is alone knows them. */
export const newLimits = (deps: Pick<SystemDeps, 'db'>, nowMs = () => performance.now()): EndpointLimits =>
  new EndpointLimits(deps, { liveWorkers: () => 1, nowMs })
