export type HeadersVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** What every delivery calls itself; no webhook can change it, so that it also tells a delivery that comes back to us. */
export const WEBHOOK_USER_AGENT = 'SalesDataWebhooks/1.0'

const MAXIMUM_HEADERS = 20
const MAXIMUM_NAME_LENGTH = 64
const MAXIMUM_VALUE_BYTES = 4_096
const MAXIMUM_TOTAL_BYTES = 16_384

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Printable latin-1 and tab: what every HTTP/1.1 stack carries unchanged, one byte a character. */
const PRINTABLE = /^[\t\x20-\x7e\xa0-\xff]*$/

/**
 * Names the service sets itself, names that steer the connection, names that claim where a request came from, and names
 * that cloud metadata services ask for as proof of intent.
 */
const RESERVED_NAMES = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'accept-encoding', 'user-agent', 'date'],
  ...['transfer-encoding', 'connection', 'keep-alive', 'te', 'trailer', 'trailers', 'upgrade', 'expect'],
  ...['via', 'forwarded', 'x-real-ip', 'metadata', 'metadata-flavor', 'x-google-metadata-request'],
])
const RESERVED_PREFIXES = ['webhook-', 'proxy-', 'x-forwarded-', 'x-amz-', 'x-aws-ec2-metadata-', 'x-goog-']

/** Whether custom headers may not carry the name, whatever its case. */
function isReserved(name: string): boolean {
  const lowerCase = name.toLowerCase()
  return RESERVED_NAMES.has(lowerCase) || RESERVED_PREFIXES.some((prefix) => lowerCase.startsWith(prefix))
}

/** A name as the caller may read it back: quoted, control characters escaped, cut. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 100))

/**
 * Checks a webhook's custom headers, so that what is accepted can always be sent: at most 20, names RFC 9110 tokens of
 * at most 64 characters, not reserved and not repeated in another case; values printable latin-1 of at most 4,096
 * bytes without space at the ends; 16 KiB in all.
 */
export function checkWebhookHeaders(headers: Readonly<Record<string, string>>): HeadersVerdict {
  const entries = Object.entries(headers)
  const faults = [
    ...entries.map(([name, value]) => nameFault(name) ?? valueFault(name, value)),
    repeatFault(entries.map(([name]) => name)),
    entries.length > MAXIMUM_HEADERS ? `At most ${MAXIMUM_HEADERS} headers are allowed.` : undefined,
    totalBytes(entries) > MAXIMUM_TOTAL_BYTES ? 'The headers are larger than 16 KiB in all.' : undefined,
  ]
  const reason = faults.find((fault) => fault !== undefined)
  return reason === undefined ? { ok: true } : { ok: false, reason }
}

function nameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return `${quote(name)} is not a valid header name.`
  if (name.length > MAXIMUM_NAME_LENGTH) {
    return `The header name ${quote(name)} is longer than ${MAXIMUM_NAME_LENGTH} characters.`
  }
  return isReserved(name) ? `The header ${quote(name)} is reserved and cannot be set.` : undefined
}

function valueFault(name: string, value: string): string | undefined {
  if (!PRINTABLE.test(value))
    return `The value of the header ${quote(name)} holds characters that are not allowed.`
  if (/^[\t ]|[\t ]$/.test(value))
    return `The value of the header ${quote(name)} starts or ends with a space.`
  if (value.length > MAXIMUM_VALUE_BYTES) {
    return `The value of the header ${quote(name)} is longer than ${MAXIMUM_VALUE_BYTES} bytes.`
  }
  return undefined
}

function repeatFault(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  const repeated = names.find((name) => seen.size === seen.add(name.toLowerCase()).size)
  return repeated === undefined ? undefined : `The header ${quote(repeated)} is given twice.`
}

const totalBytes = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((total, [name, value]) => total + name.length + value.length, 0)
