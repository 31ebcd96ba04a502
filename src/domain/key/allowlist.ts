import { setLatest } from '../buffers.ts'
import { invalid } from '../errors.ts'
import { compileRanges, parseAddressRange } from '../net/addresses.ts'

/** A key's allowlist has at most this many entries. Duplicates are not counted. */
const MAXIMUM_ALLOWLIST_ENTRIES = 200

/**
 * Reads an allowlist: a list of entries, or the text of a text area with one entry on each line (LF or CRLF). An entry
 * has one of the four forms of the specification: a single address or a CIDR range, in IPv4 or IPv6. Entries are
 * trimmed, blank entries and duplicates are dropped, and the order stays. The result has the form that is stored and
 * shown: host bits are cleared (`10.0.0.5/8` becomes `10.0.0.0/8`), mapped IPv6 is written as IPv4, and there is a
 * prefix length only if the caller wrote one.
 *
 * @throws ApiError VALIDATION_ERROR that names the entry or the line by number, counted from 1
 */
export function checkAllowlist(allowlist: readonly string[] | string): string[] {
  const { entries, faults } = reviewAllowlist(allowlist)
  const [fault] = faults
  if (fault) {
    const place = typeof allowlist === 'string' ? 'Line' : 'Entry'
    throw invalid(`${place} ${fault.line}: ${fault.message}`)
  }
  if (entries.length <= MAXIMUM_ALLOWLIST_ENTRIES) return entries
  throw invalid(
    `An IP allowlist has at most ${MAXIMUM_ALLOWLIST_ENTRIES} entries; this one has ${entries.length}.`,
  )
}

/** A line of a text area, or an entry of a list, that is neither an address nor a range. `line` counts from 1. */
type AllowlistFault = { readonly line: number; readonly text: string; readonly message: string }

/** All entries that can be read, and all faults, for a user who edits the list. */
export function reviewAllowlist(allowlist: readonly string[] | string): {
  readonly entries: string[]
  readonly faults: AllowlistFault[]
} {
  const lines = typeof allowlist === 'string' ? allowlist.split(/\r?\n/) : allowlist
  const entries = new Set<string>()
  const faults: AllowlistFault[] = []
  for (const [index, text] of lines.entries()) {
    const given = text.trim()
    if (given === '') continue
    const entry = canonicalEntry(given)
    if (entry !== undefined) entries.add(entry)
    else faults.push({ line: index + 1, text: given.slice(0, 64), message: notAnEntry(given) })
  }
  return { entries: [...entries], faults }
}

const notAnEntry = (given: string): string => `${quote(given)} is not an IP address or CIDR range.`

/** The entry as JSON text, cut to 64 characters, so that it is one short printable line. */
const quote = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 63)}…` : text)

/** The entry in canonical form, with a prefix length if the caller wrote one. undefined for any other text. */
function canonicalEntry(text: string): string | undefined {
  const range = parseAddressRange(text)
  if (range === undefined) return undefined
  return text.includes('/') ? `${range.address}/${range.prefixLength}` : range.address
}

/**
 * Compiles a stored allowlist into its matcher. An empty list permits every address (spec, Allowlist). A list with an
 * unreadable entry permits no address, because it was meant to restrict. A mapped address (`::ffff:1.2.3.4`) is matched as
 * IPv4, and a zone id is ignored. An entry never covers addresses of the other IP version: `0.0.0.0/0` covers no IPv6. A
 * text that is not an address matches no entry. Never throws.
 */
export function compileAllowlist(entries: readonly unknown[]): (address: string) => boolean {
  if (entries.length === 0) return () => true
  const ranges = entries.map((entry) => (typeof entry === 'string' ? parseAddressRange(entry) : undefined))
  if (!ranges.every((range) => range !== undefined)) return () => false
  return compileRanges(ranges)
}

/** At most this many compiled lists are kept. The least recently used list is dropped first. */
const KEPT_MATCHERS = 1_000

/**
 * Returns the matcher of an allowlist, and compiles it at its first use. Matchers are kept by the content of the list, not
 * by the key. So a key whose list changes gets another matcher at once.
 */
export function createAllowlistMatchers(): (entries: readonly string[]) => (address: string) => boolean {
  const matchers = new Map<string, (address: string) => boolean>()
  return (entries) => {
    const content = JSON.stringify(entries)
    const matcher = matchers.get(content) ?? compileAllowlist(entries)
    setLatest(matchers, content, matcher, KEPT_MATCHERS)
    return matcher
  }
}
