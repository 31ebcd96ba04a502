import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

/** A range of addresses in canonical form: host bits cleared, and mapped IPv6 written as IPv4. */
export type AddressRange = { readonly address: string; readonly prefixLength: number }

type Parsed = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Accepts only what node:net calls an address, because ipaddr.js also accepts `1`, `127.1`, `0x7f.1` and `0177.0.0.1`.
 * ipaddr.js reads `::8.8.8.8` as the mapped `::ffff:8.8.8.8`. So IPv6 is first converted to the hexadecimal form of the URL
 * parser.
 */
function parse(text: string): Parsed | undefined {
  const ipVersion = isIP(text)
  if (ipVersion === 0) return undefined
  const withoutZone = text.replace(/%.*/, '')
  return ipaddr.process(
    ipVersion === 4 ? withoutZone : new URL(`http://[${withoutZone}]`).hostname.slice(1, -1),
  )
}

/**
 * The canonical spelling of an address: `::ffff:1.2.3.4` becomes `1.2.3.4`, a zone id is dropped, and IPv6 is compressed
 * and in lower case (RFC 5952).
 *
 * @returns undefined if the text is not an IP address
 */
export const canonicalAddress = (text: string): string | undefined => parse(text)?.toString()

/**
 * Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. It is strict: no zone id, and no sign, space or leading zero in the
 * prefix length. Host bits are cleared, and a mapped range (`::ffff:10.0.0.0/104`) becomes its IPv4 range (`10.0.0.0/8`).
 *
 * @returns undefined if the text is none of these
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  // Stryker disable next-line StringLiteral,ArrayDeclaration: a text of another form is not an address, whatever the default is
  const [, address = '', length] = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const parsed = parse(address)
  if (!parsed) return undefined
  const bits = isIP(address) === 4 ? 32 : 128
  const prefixLength = length === undefined ? bits : Number(length)
  return prefixLength > bits ? undefined : toRange(parsed, bits - prefixLength)
}

function toRange(parsed: Parsed, hostBits: number): AddressRange | undefined {
  const isIpv4 = parsed.kind() === 'ipv4'
  const prefixLength = (isIpv4 ? 32 : 128) - hostBits
  // We refuse a mapped range that is wider than the mapped block, because it is not an IPv4 range.
  if (prefixLength < 0) return undefined
  const cidr = `${parsed.toString()}/${prefixLength}`
  const network = (isIpv4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr)
  return { address: network.toString(), prefixLength }
}

/** Whether the address lies in the range. False if the text is not an address, or has the other IP version. */
export const isInRange = (address: string, range: AddressRange): boolean => compileRanges([range])(address)

/**
 * Like {@link isInRange}, for many ranges. The ranges are parsed once, because the returned function tests every
 * request.
 */
export function compileRanges(ranges: readonly AddressRange[]): (address: string) => boolean {
  const bases = ranges.map(({ address, prefixLength }) => ({ base: parse(address), prefixLength }))
  return (address) => {
    const candidate = parse(address)
    return bases.some(
      ({ base, prefixLength }) =>
        base !== undefined &&
        // ipaddr.js throws when the IP versions differ.
        candidate?.kind() === base.kind() &&
        candidate.match([base, prefixLength] as [ipaddr.IPv4, number]),
    )
  }
}

/** The host agent of Azure answers on this address, which all tables of ranges call public. */
const AZURE_HOST_AGENT = '168.63.129.16'

/** Global unicast is 2000::/3 (RFC 4291). ipaddr.js also calls unassigned addresses outside this range unicast. */
const GLOBAL_UNICAST: AddressRange = { address: '2000::', prefixLength: 3 }

/**
 * Whether the address belongs to the public internet: it is global unicast, and in none of the special ranges that IANA
 * lists (private, loopback, link-local, shared, documentation, benchmarking, translation, tunnels, multicast, reserved).
 * Mapped IPv6 is judged as IPv4. An address with a zone id is on a link of this machine, so it is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = address.includes('%') ? undefined : parse(address)
  if (parsed?.range() !== 'unicast') return false
  const canonical = parsed.toString()
  return parsed.kind() === 'ipv4' ? canonical !== AZURE_HOST_AGENT : isInRange(canonical, GLOBAL_UNICAST)
}

/** A range of addresses. If `port` is given, it covers only that port. */
export type AllowedNetwork = AddressRange & { readonly port: number | undefined }

/**
 * Reads a comma-separated list of addresses or CIDR ranges, each with an optional port: `10.0.0.0/8`,
 * `127.0.0.1:8443`, `fd00::/8`, `[::1/128]:443`. Blank text is the empty list.
 *
 * @throws Error that names the first entry that is none of these
 */
export const parseNetworks = (text: string): AllowedNetwork[] => entriesOf(text).map(parseNetwork)

/**
 * Reads a comma-separated list of addresses or CIDR ranges without ports, because the peers of incoming connections use any
 * port. Blank text is the empty list.
 *
 * @throws Error that names the first entry that is neither
 */
export const parsePeerRanges = (text: string): AddressRange[] =>
  entriesOf(text).map((entry) => {
    const range = parseAddressRange(entry)
    if (range) return range
    throw new Error(
      `"${entry}" is not an address or CIDR range without a port, such as 10.0.0.0/8 or fd00::/8`,
    )
  })

const entriesOf = (text: string): string[] =>
  text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim())

function parseNetwork(entry: string): AllowedNetwork {
  // An IPv6 range needs brackets before a port, because both contain colons.
  const [, bracketed, plain, digits] = /^(?:\[(.*:.*)\]|([^:]*))(?::([1-9]\d{0,4}))?$/.exec(entry) ?? []
  const range = parseAddressRange(bracketed ?? plain ?? entry)
  const port = digits === undefined ? undefined : Number(digits)
  if (!range || (port ?? 0) > 65_535) {
    throw new Error(
      `"${entry}" is not an address or CIDR range with an optional port, such as 10.0.0.0/8, 127.0.0.1:8443 or [::1/128]:443`,
    )
  }
  return { ...range, port }
}

/**
 * Whether one of the networks covers the address, and also the port if the network has one. Mapped IPv6 counts as IPv4. A
 * network with a port never covers an undefined port. Never throws: a text that is not an address is in no network.
 */
export const isInNetworks = (
  address: string,
  port: number | undefined,
  networks: readonly AllowedNetwork[],
): boolean =>
  networks.some(
    (network) => (network.port === undefined || network.port === port) && isInRange(address, network),
  )
