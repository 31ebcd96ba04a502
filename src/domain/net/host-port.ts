import { isIPv6 } from 'node:net'

/** Where a server listens: a name or an IP address (IPv6 without brackets), and a port from 1 to 65535. */
type HostPort = { readonly host: string; readonly port: number }

/** Host names as DNS and container networks use them. */
const NAME = /^[\w.-]{1,253}$/

/**
 * Reads `host:port` or `[::1]:port`. It also reads IPv6 without brackets, because releases up to 0.1.0 wrote it that way.
 * Then the last part is the port.
 *
 * @returns undefined if the text is none of these
 */
export function parseHostPort(text: string): HostPort | undefined {
  // Stryker disable next-line StringLiteral,ArrayDeclaration: a text of another form has no port, whatever the default is
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]+)\]|(.+)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return undefined
  const host = bracketed ?? plain
  return isIPv6(host) || (bracketed === undefined && NAME.test(host)) ? { host, port } : undefined
}

/** `host:port`. An IPv6 address is put in brackets, as in URLs (RFC 3986, 3.2.2). */
export const formatHostPort = ({ host, port }: HostPort): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`

/** Whether the host is this machine, so that its traffic never leaves the machine. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
