import { parseAddressRange } from '../../domain/net/addresses.js'

/** Whoever has one IPv6 address has its whole /64. */
const IPV6_PREFIX = 64

/** Whom a limit per address counts: an IPv4 address, or the /64 of an IPv6 one. */
export const countedAddress = (address: string): string =>
  address.includes(':') ? (parseAddressRange(`${address}/${IPV6_PREFIX}`)?.address ?? address) : address
