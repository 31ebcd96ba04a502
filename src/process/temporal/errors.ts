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

/** Whether it is so of an error or of what caused it. */
function anyCause(error: unknown, isSo: (cause: Error & { readonly code?: number }) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isSo(cause)) return true
  return false
}

/** Whether an error of a call to Temporal, or what caused it, has one of the gRPC codes. */
export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  anyCause(error, ({ code }) => code !== undefined && codes.includes(code))

/** Whether the server refuses what we asked. Temporal Cloud and authorizers refuse the operator service. */
export const isRefused = (error: unknown): boolean =>
  hasCode(error, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED)

/** What a server says of a namespace whose search attributes it does not know, or does not know yet: 1.29 to 1.32. */
const NO_MAPPING = 'no mapping defined for search attribute'

/**
 * Whether the namespace lacks a search attribute. Somebody removed it, or a server that was told of it a moment ago has
 * not read its own register again; calls go through once it has.
 */
export const lacksSearchAttribute = (error: unknown): boolean =>
  anyCause(error, ({ code, message }) => code === INVALID_ARGUMENT && message.includes(NO_MAPPING))

/**
 * Whether the server is away, overloaded or not ready for any delivery; any other error is an answer. CANCELLED is how a
 * worker's own connection reports a missed deadline.
 */
export const isSlow = (error: unknown): boolean =>
  hasCode(error, CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE) || lacksSearchAttribute(error)
