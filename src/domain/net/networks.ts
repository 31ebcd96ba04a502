import { isInRange, parseAddressRange, type AddressRange } from './addresses.ts'

/** A range of addresses, limited to one port when a port is given. */
export type AllowedNetwork = AddressRange & { readonly port: number | undefined }

/**
 * Reads a comma-separated list of addresses or CIDR ranges, each with an optional port: `10.0.0.0/8`,
 * `127.0.0.1:8443`, `fd00::/8`, `[::1/128]:443`. Blank text is the empty list.
 *
 * @throws Error that names the first entry which is none of these
 */
export function parseNetworks(text: string): AllowedNetwork[] {
  return entriesOf(text).map(parseNetwork)
}

/**
 * Reads a comma-separated list of addresses or CIDR ranges without ports: the peers of incoming connections come from
 * any port. Blank text is the empty list.
 *
 * @throws Error that names the first entry which is neither
 */
export function parsePeerRanges(text: string): AddressRange[] {
  return entriesOf(text).map((entry) => {
    const range = parseAddressRange(entry)
    if (!range) {
      throw new Error(
        `"${entry}" is not an address or CIDR range without a port, such as 10.0.0.0/8 or fd00::/8`,
      )
    }
    return range
  })
}

const entriesOf = (text: string): string[] =>
  text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim())

function parseNetwork(entry: string): AllowedNetwork {
  const { rangeText, portText } = splitPort(entry)
  const range = parseAddressRange(rangeText)
  const port = portText === undefined ? undefined : parsePort(portText)
  if (!range || Number.isNaN(port)) {
    throw new Error(
      `"${entry}" is not an address or CIDR range with an optional port, such as 10.0.0.0/8, 127.0.0.1:8443 or [::1/128]:443`,
    )
  }
  return { ...range, port }
}

/** An IPv6 range needs brackets before its port, because both contain colons. */
function splitPort(entry: string): { rangeText: string; portText: string | undefined } {
  const match = /^(?:\[(.*:.*)\]|([^:]*))(?::([^:]*))?$/.exec(entry)
  return { rangeText: match?.[1] ?? match?.[2] ?? entry, portText: match?.[3] }
}

function parsePort(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : NaN
  return port <= 65535 ? port : NaN
}

/**
 * Whether one of the networks covers the address (mapped IPv6 counts as IPv4) and, where the network names a port,
 * that port. A network with a port never covers an undefined port. Never throws: what is no address is in no network.
 */
export function isInNetworks(
  address: string,
  port: number | undefined,
  networks: readonly AllowedNetwork[],
): boolean {
  return networks.some(
    (network) => (network.port === undefined || network.port === port) && isInRange(address, network),
  )
}
