/** At most this many bytes of a response body are kept, as UTF-8. */
export const STORED_BODY_BYTES = 16_384

/** At most this many characters of a Location header are kept. The URL of a webhook has the same limit. */
const LOCATION_CHARACTERS = 2_048

const decode = (bytes: Uint8Array, isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })

/**
 * Converts a response body to a text that can be stored and shown: UTF-8 of at most 16 KiB, cut between code points.
 * U+FFFD replaces invalid bytes, and NUL is left out. It does not throw, whatever the bytes are.
 */
export function responseText(bytes: Uint8Array): string {
  const isCut = bytes.length > STORED_BODY_BYTES
  const text = decode(bytes.subarray(0, STORED_BODY_BYTES), isCut).replaceAll('\0', '')
  // Cut again, because U+FFFD has three bytes and may replace a single invalid byte.
  return decode(Buffer.from(text).subarray(0, STORED_BODY_BYTES), true)
}

/**
 * A Location header as a text that can be stored and shown.
 *
 * @param header one character for each byte, as an HTTP parser returns it
 */
export const locationText = (header: string): string =>
  Array.from(visibleText(header)).slice(0, LOCATION_CHARACTERS).join('')

/**
 * Reads the text of a header as UTF-8. Invalid bytes, control characters and characters that change the direction of
 * writing become U+FFFD, so that a page or a terminal can show the text.
 */
const visibleText = (header: string): string =>
  decode(Buffer.from(header, 'latin1'), false).replaceAll(/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu, '\uFFFD')

/** Headers as an HTTP parser returns them: names in lower case, one character for each byte, several values as a list. */
export type ParsedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The kept headers of an answer, by name. */
type KeptHeaders = {
  readonly headers: Readonly<Record<string, string>>
  /** Whether something is missing: a name or a value was cut, or a header was left out because there was no room. */
  readonly isCut: boolean
}

/** The longest text that storedHeaders makes, in bytes. */
export const STORED_HEADERS_BYTES = 2_048
const NAME_CHARACTERS = 64
const VALUE_CHARACTERS = 256
/** The mark at the end of a name or a value that was cut. */
const CUT_MARK = '…'

/** Headers with cookies are left out, because cookies are credentials and do not help to understand a delivery. */
const LEFT_OUT: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2'])

/**
 * Converts the headers of an answer to a text that can be stored: JSON, without cookies. Several values of a name are
 * joined by commas. Long names and values are cut. Headers for which there is no room are left out. Control characters and
 * invalid bytes become U+FFFD.
 */
export function storedHeaders(parsed: ParsedHeaders): string {
  const pairs: string[] = []
  let bytes = Buffer.byteLength(textOf([], false))
  let isCut = false
  for (const [parsedName, values = ''] of Object.entries(parsed)) {
    if (LEFT_OUT.has(parsedName)) continue
    const name = shortened(parsedName, NAME_CHARACTERS)
    const value = shortened(typeof values === 'string' ? values : values.join(', '), VALUE_CHARACTERS)
    const pair = JSON.stringify([name.text, value.text])
    const fits = bytes + Buffer.byteLength(pair) + 1 <= STORED_HEADERS_BYTES
    isCut ||= name.isCut || value.isCut || !fits
    if (!fits) continue
    pairs.push(pair)
    bytes += Buffer.byteLength(pair) + 1
  }
  return textOf(pairs, isCut)
}

/** Pairs instead of an object, because two names may be equal once they are cut. */
const textOf = (pairs: readonly string[], isCut: boolean): string =>
  `{"headers":[${pairs.join(',')}],"isCut":${isCut}}`

/** Reads the text that storedHeaders made. */
export function keptHeaders(stored: string): KeptHeaders {
  const { headers, isCut } = JSON.parse(stored) as { headers: [string, string][]; isCut: boolean }
  return { headers: Object.fromEntries(headers), isCut }
}

/** Most header texts are short and plain, and need no conversion. */
const PLAIN = /^[ -~]*$/

function shortened(header: string, characters: number): { readonly text: string; readonly isCut: boolean } {
  if (header.length <= characters && PLAIN.test(header)) return { text: header, isCut: false }
  // Tabs are allowed where spaces are. A character takes at most 4 bytes, so the text behind this cut is not needed.
  const bytes = header.replaceAll('\t', ' ').slice(0, 4 * (characters + 1))
  const all = Array.from(visibleText(bytes))
  if (all.length <= characters) return { text: all.join(''), isCut: false }
  return { text: `${all.slice(0, characters - 1).join('')}${CUT_MARK}`, isCut: true }
}
