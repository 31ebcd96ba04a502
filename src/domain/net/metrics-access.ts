import { isLoopback } from './client-address.ts'
import { ApiError } from '../errors.ts'
import { isSameSecret } from '../webhook/signing.ts'

/** The facts about a request for the metrics of a process. */
type MetricsRequest = {
  /** The canonical address of the client, as clientAddress finds it. */
  readonly address: string
  /** Whether a proxy says that it forwarded the request. */
  readonly isForwarded: boolean
  /** Whether nobody on a network can have read the request. */
  readonly isConfidential: boolean
  /** The Authorization header; empty without one. */
  readonly authorization: string
}

/**
 * Says why a request may not read the metrics; undefined if it may. Without METRICS_TOKEN only this machine may read them,
 * that is, a client on loopback without a proxy. With METRICS_TOKEN everybody who sends the token may read them, but only
 * this machine may send it without TLS.
 */
export function refuseMetrics(request: MetricsRequest, token: string | undefined): ApiError | undefined {
  const isLocal = isLoopback(request.address) && !request.isForwarded
  if (token === undefined) return isLocal ? undefined : notShown(request.address)
  if (!isLocal && !request.isConfidential) return new ApiError('INVALID_REQUEST', 'Use HTTPS.')
  return isSameSecret(request.authorization, `Bearer ${token}`) ? undefined : wrongToken()
}

const notShown = (address: string): ApiError =>
  new ApiError(
    'IP_NOT_ALLOWED',
    `Metrics are shown to this machine only, not to requests from ${address}, unless METRICS_TOKEN is set.`,
  )

const wrongToken = (): ApiError =>
  new ApiError('UNAUTHORIZED', 'The metrics token is missing or wrong.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
