import fc from 'fast-check'

/** An IP address as a number. This arithmetic is independent of the product's matching, which tests compare with it. */
export type Address = { readonly ipVersion: 4 | 6; readonly value: bigint }

const MAPPED = 0xffffn << 32n

/** Draws random addresses of both IP versions. A mapped value is an IPv4 address, so it is drawn as IPv4 only. */
export const randomAddress: fc.Arbitrary<Address> = fc.oneof(
  fc.bigInt(0n, 2n ** 32n - 1n).map((value): Address => ({ ipVersion: 4, value })),
  fc
    .bigInt(0n, 2n ** 128n - 1n)
    .filter((value) => value >> 32n !== 0xffffn)
    .map((value): Address => ({ ipVersion: 6, value })),
)

/** Formats a dotted quad or eight full groups. `mapped` writes an IPv4 address in its IPv6 form. */
export function addressText({ ipVersion, value }: Address, mapped: boolean): string {
  if (ipVersion === 4 && !mapped) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const wide = ipVersion === 4 ? MAPPED | value : value
  const groups = Array.from({ length: 8 }, (_, index) => (wide >> BigInt(112 - 16 * index)) & 0xffffn)
  return groups.map((group) => group.toString(16)).join(':')
}

/** Whether the address shares the first `length` bits of the base. It only shifts. */
export const isCovered = (address: Address, base: Address, length: number): boolean => {
  const hostBits = BigInt((base.ipVersion === 4 ? 32 : 128) - length)
  return address.ipVersion === base.ipVersion && address.value >> hostBits === base.value >> hostBits
}

/** Parses a dotted quad, or an IPv6 text without dots, into a number. */
export function addressValue(text: string): bigint {
  if (text.includes('.')) return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
  const [head = '', tail] = text.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...gap, ...right].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n)
}
