import { invalid } from '../errors.ts'

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** The User-Agent of every delivery. No webhook can change it. So it also shows us that a delivery came back to our own API. */
export const WEBHOOK_USER_AGENT = 'SalesDataWebhooks/1.0'

/** The headers of every delivery, in addition to its signature and the webhook's own headers. */
export const FIXED_HEADERS = {
  'content-type': 'application/json',
  'user-agent': WEBHOOK_USER_AGENT,
  'accept-encoding': 'identity',
}

/**
 * The limits of custom headers: their number, the characters of a name, the bytes of a value, and the bytes of all
 * names and values.
 */
export const HEADER_LIMITS = { count: 20, nameLength: 64, valueBytes: 4_096, totalBytes: 16_384 }

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Printable latin-1 and tab: every HTTP/1.1 implementation sends them unchanged, one byte for each character. */
const PRINTABLE = /^[\t\x20-\x7e\xa0-\xff]*$/

/**
 * Headers that a webhook must not set. The service sets some of them itself. Others control the connection, or say
 * where a request came from. Cloud metadata services require further ones, such as `metadata`, as a proof of intent.
 */
export const RESERVED_HEADERS = {
  names: (
    'host content-length content-type content-encoding accept-encoding user-agent date ' +
    'transfer-encoding connection keep-alive te trailer trailers upgrade expect ' +
    'via forwarded x-real-ip metadata metadata-flavor x-google-metadata-request'
  ).split(' '),
  nameStarts: ['webhook-', 'proxy-', 'x-forwarded-', 'x-amz-', 'x-aws-ec2-metadata-', 'x-goog-'],
}
const RESERVED_NAMES = new Set(RESERVED_HEADERS.names)

/** Whether the name is reserved, in upper or lower case. */
function isReserved(name: string): boolean {
  const lowerCase = name.toLowerCase()
  return (
    RESERVED_NAMES.has(lowerCase) || RESERVED_HEADERS.nameStarts.some((start) => lowerCase.startsWith(start))
  )
}

/** A name for a message to the caller: quoted, with control characters escaped, and cut. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 100))

/**
 * Checks a webhook's custom headers, so that accepted headers can always be sent. There may be 20 of them, with 16 KiB
 * in all. A name is an RFC 9110 token of at most 64 characters. It must not be reserved, or repeated in another case. A
 * value is printable latin-1 of at most 4,096 bytes, without a space at its beginning or end.
 */
export function checkWebhookHeaders(headers: Readonly<Record<string, string>>): Verdict {
  const entries = Object.entries(headers)
  const faults = [
    ...entries.map(([name, value]) => headerFault(name, value)),
    repeatFault(entries.map(([name]) => name)),
    entries.length > HEADER_LIMITS.count ? `At most ${HEADER_LIMITS.count} headers are allowed.` : undefined,
    totalBytes(entries) > HEADER_LIMITS.totalBytes ? 'The headers are larger than 16 KiB in all.' : undefined,
  ]
  const reason = faults.find((fault) => fault !== undefined)
  return reason === undefined ? { ok: true } : { ok: false, reason }
}

/**
 * The given headers, with the stored value in place of each null, because a user need not know all values.
 *
 * @throws ApiError VALIDATION_ERROR for a null without a stored value
 */
export function withStoredValues(
  given: Readonly<Record<string, string | null>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(given).map(([name, value]) => {
    const kept = value ?? (Object.hasOwn(stored, name) ? stored[name] : undefined)
    if (kept !== undefined) return [name, kept] as const
    throw invalid(`"headers" has no stored value for ${quote(name)}: give one, or leave the header out.`)
  })
  return Object.fromEntries(entries)
}

/** The fault of one header, as a sentence that never repeats its value; undefined if the header has no fault. */
export const headerFault = (name: string, value: string): string | undefined =>
  nameFault(name) ?? valueFault(name, value)

function nameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return `${quote(name)} is not a valid header name.`
  if (name.length > HEADER_LIMITS.nameLength) {
    return `The header name ${quote(name)} is longer than ${HEADER_LIMITS.nameLength} characters.`
  }
  return isReserved(name) ? `The header ${quote(name)} is reserved and cannot be set.` : undefined
}

function valueFault(name: string, value: string): string | undefined {
  if (!PRINTABLE.test(value))
    return `The value of the header ${quote(name)} holds characters that are not allowed.`
  if (/^[\t ]|[\t ]$/.test(value))
    return `The value of the header ${quote(name)} starts or ends with a space.`
  if (value.length > HEADER_LIMITS.valueBytes) {
    return `The value of the header ${quote(name)} is longer than ${HEADER_LIMITS.valueBytes} bytes.`
  }
  return undefined
}

function repeatFault(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  // Stryker disable next-line MethodExpression: names that differ only in case are equal in upper case too
  const repeated = names.find((name) => seen.size === seen.add(name.toLowerCase()).size)
  return repeated === undefined ? undefined : `The header ${quote(repeated)} is given twice.`
}

const totalBytes = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((total, [name, value]) => total + name.length + value.length, 0)
