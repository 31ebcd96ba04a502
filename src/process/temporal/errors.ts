/** gRPC codes, as Temporal's server and its SDK use them. */
const CANCELLED = 1
export const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
export const NOT_FOUND = 5
export const ALREADY_EXISTS = 6
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const UNIMPLEMENTED = 12
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/** Whether an error, or one of the errors that caused it, fits. */
function anyCause(error: unknown, fits: (cause: Error & { readonly code?: number }) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (fits(cause)) return true
  return false
}

/** Whether an error of a call to Temporal, or what caused it, has one of the gRPC codes. */
export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  anyCause(error, ({ code }) => code !== undefined && codes.includes(code))

/** Whether the server refuses what we asked. Temporal Cloud and authorizers refuse calls of the operator service. */
export const isRefused = (error: unknown): boolean =>
  hasCode(error, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED)

/** Part of the message of servers 1.29 to 1.32 for a search attribute that they do not know in a namespace. */
const NO_MAPPING = 'no mapping defined for search attribute'

/**
 * Whether the namespace lacks a search attribute. Either somebody removed it, or it was registered a moment ago and the server
 * has not read its list of search attributes since. In the second case calls succeed once the server has read the list.
 */
export const lacksSearchAttribute = (error: unknown): boolean =>
  anyCause(error, ({ code, message }) => code === INVALID_ARGUMENT && message.includes(NO_MAPPING))

/**
 * Whether the server is away, overloaded or not ready, so that calls for other deliveries would fail too. Any other
 * error concerns this one call. A worker's connection reports a missed deadline as CANCELLED.
 */
export const isSlow = (error: unknown): boolean =>
  hasCode(error, CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE) || lacksSearchAttribute(error)
