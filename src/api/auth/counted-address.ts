import { parseAddressRange } from '../../domain/net/addresses.ts'

/** A client that has one IPv6 address usually has its whole /64. */
const IPV6_PREFIX_LENGTH = 64

/** What a limit per address counts: an IPv4 address, or the /64 of an IPv6 address. */
export const countedAddress = (address: string): string =>
  address.includes(':')
    ? (parseAddressRange(`${address}/${IPV6_PREFIX_LENGTH}`)?.address ?? address)
    : address
