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
 * connect from; for an IPv6 address it mostly means that this machine has no IPv6, as ENETUNREACH does.
 */
export function isShortage(error: unknown): boolean {
  const { code, address } = (error ?? {}) as SystemError
  if (code === 'EADDRNOTAVAIL') return !String(address).includes(':')
  return SHORTAGES.has(String(code))
}
