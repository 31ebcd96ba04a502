import { isIP } from 'node:net'
import { isPublicAddress, isInNetworks, type AllowedNetwork } from '../net/addresses.ts'
import { isLongerThan } from '../fields/storable.ts'

type UrlVerdict = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string }

/** The longest URL, in characters. */
export const MAXIMUM_URL_LENGTH = 2_048
const HTTPS_PORT = 443

/**
 * The "bad ports" of the Fetch standard. Servers of other protocols on these ports might read an HTTP request as a
 * request of their own protocol.
 */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** The port of a webhook's URL. */
export const portOf = (url: URL): number => (url.port === '' ? HTTPS_PORT : Number(url.port))

/** The host without the brackets of an IPv6 literal. */
export const hostOf = (url: URL): string => url.hostname.replaceAll(/[[\]]/g, '')

/** Whether a request may go to the address: it is public, or the operator has exempted it for this port. */
export const isDestination = (address: string, port: number, allowed: readonly AllowedNetwork[]): boolean =>
  isPublicAddress(address) || isInNetworks(address, port, allowed)

/**
 * Checks the URL of a webhook, without using the network. Each connection then checks the addresses of the host name.
 * This check runs when a webhook is created or changed, and at every attempt.
 *
 * @param allowed networks that the operator allows; `localhost` counts as 127.0.0.1
 * @returns the parsed URL, or a sentence for the caller that says what is wrong
 */
export function checkWebhookUrl(raw: string, allowed: readonly AllowedNetwork[]): UrlVerdict {
  const rawFault = textFault(raw)
  if (rawFault !== undefined) return { ok: false, reason: rawFault }
  if (!URL.canParse(raw)) return { ok: false, reason: 'The URL is not valid.' }
  const url = new URL(raw)
  // The last dot of a fully qualified name belongs to DNS. TLS and the Host header have the name without it.
  url.hostname = url.hostname.replace(/\.$/, '')
  const reason = hostFault(url.hostname) ?? destinationFault(url, allowed)
  return reason === undefined ? { ok: true, url } : { ok: false, reason }
}

/** Checks the text itself, because the URL parser silently repairs texts that must be refused. */
function textFault(raw: string): string | undefined {
  if (!/^https:/i.test(raw)) return 'The URL must use the HTTPS protocol.'
  if (isLongerThan(raw, MAXIMUM_URL_LENGTH)) {
    return `The URL is longer than ${MAXIMUM_URL_LENGTH} characters.`
  }
  if (/[\p{Cc}\p{Cs}\s\\]/u.test(raw)) return 'The URL holds spaces, control characters or backslashes.'
  const authority = /^https:\/\/([^/?#]+)/i.exec(raw)?.[1]
  if (authority === undefined) return 'The URL must name a host after https://.'
  if (authority.includes('@')) return 'The URL must not hold a user name or password.'
  return raw.includes('#') ? 'The URL must not hold a fragment (#).' : undefined
}

/** The limits of DNS names (RFC 1035, section 2.3.4). The URL parser does not check them. */
function hostFault(hostname: string): string | undefined {
  const labels = hostname.split('.')
  if (hostname.length > 253 || labels.some((label) => label.length > 63))
    return 'The host name of the URL is too long.'
  return labels.includes('') ? 'The host name of the URL has an empty part.' : undefined
}

function destinationFault(url: URL, allowed: readonly AllowedNetwork[]): string | undefined {
  const port = portOf(url)
  const host = hostOf(url)
  if (BAD_PORTS.has(port)) return `The port ${port} is not allowed.`
  const isExemptLocalhost = host === 'localhost' && isInNetworks('127.0.0.1', port, allowed)
  const isLocalName = host === 'localhost' || host.endsWith('.localhost')
  const isBlocked = isIP(host) === 0 ? isLocalName && !isExemptLocalhost : !isDestination(host, port, allowed)
  return isBlocked ? 'The URL must point to a public address.' : undefined
}
