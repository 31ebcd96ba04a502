/** Error codes of the operating system: this machine, not the other end, has no resources left for a connection. */
const SHORTAGES: ReadonlySet<string> = new Set([
  'EMFILE', // the file table of the process is full
  'ENFILE', // the file table of the machine is full
  'ENOBUFS',
  'ENOMEM',
])

type SystemError = { readonly code?: unknown; readonly address?: unknown }

/**
 * Whether the machine has no file, memory or port left for a connection. EADDRNOTAVAIL means that no port is left to
 * connect from. If the address is IPv6, however, it mostly means the same as ENETUNREACH: this machine has no IPv6.
 */
export function isShortage(error: unknown): boolean {
  const { code } = (error ?? {}) as SystemError
  return code === 'EADDRNOTAVAIL' ? !isOfIpv6(error) : SHORTAGES.has(String(code))
}

/**
 * Whether a rule of this machine (a firewall, a sandbox) forbids the connection. For an IPv6 address, EACCES mostly
 * means that a firewall of the other end forbids the connection: Linux reports an ICMPv6 «administratively prohibited»
 * as EACCES.
 */
export function isProhibition(error: unknown): boolean {
  const { code } = (error ?? {}) as SystemError
  return code === 'EPERM' || (code === 'EACCES' && !isOfIpv6(error))
}

/** Whether the error is about a connection to an IPv6 address. */
const isOfIpv6 = (error: unknown): boolean => String((error as SystemError).address).includes(':')
