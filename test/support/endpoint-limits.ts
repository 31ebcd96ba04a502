import { EndpointLimits } from '../../src/attempts/endpoint-limits.js'
import type { Deps } from '../../src/process/deps.js'

/** The limits of endpoints as a worker that is alone knows them. */
export const newLimits = (deps: Pick<Deps, 'db'>, nowMs = () => performance.now()): EndpointLimits =>
  new EndpointLimits(deps, { liveWorkers: () => 1, nowMs })
