/** A place in a trace, as W3C Trace Context defines it. */
type TracePlace = { readonly traceId: string; readonly spanId: string; readonly flags: number }

/** Version, trace id, span id and flags. A higher version may append more. An id of zeros only is not valid. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

const LONGEST_HEADER = 512

/**
 * Reads the header `traceparent` of W3C Trace Context.
 *
 * @returns undefined if it is missing or not valid. The standard asks to ignore it then
 */
export function parseTraceparent(text: string | null | undefined): TracePlace | undefined {
  if (!text || text.length > LONGEST_HEADER) return undefined
  // Stryker disable next-line ArrayDeclaration: any list that has no ids does
  const [, version, traceId, spanId, flags, more] = FORM.exec(text) ?? []
  // Stryker disable next-line LogicalOperator,ConditionalExpression: the form has all or none; this is for the compiler
  if (!traceId || !spanId || !flags) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** The header for a place, in version 00: 55 characters. */
export const formatTraceparent = ({ traceId, spanId, flags }: TracePlace): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`

/** The header that a caller sent, in our form; undefined if it is missing or not valid. */
export function validTraceparent(text: string): string | undefined {
  const place = parseTraceparent(text)
  return place && formatTraceparent(place)
}

/** The id of the trace, for the log; undefined outside a trace. */
export const traceIdOf = (traceparent: string | null | undefined): string | undefined =>
  parseTraceparent(traceparent)?.traceId
