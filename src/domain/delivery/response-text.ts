/** How much of a response body is kept, in bytes of UTF-8. */
export const STORED_BODY_BYTES = 16_384

/** How much of a Location header is kept, in characters: as much as the URL of a webhook may have. */
const LOCATION_CHARACTERS = 2_048

const decode = (bytes: Uint8Array, isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })

/**
 * A response body as text that can be stored and shown: UTF-8 of at most 16 KiB, cut on a code point, invalid bytes
 * as U+FFFD, NUL dropped. Whatever bytes come in, it does not throw.
 */
export function responseText(bytes: Uint8Array): string {
  const isCut = bytes.length > STORED_BODY_BYTES
  const text = decode(bytes.subarray(0, STORED_BODY_BYTES), isCut).replaceAll('\0', '')
  const encoded = Buffer.from(text)
  // U+FFFD takes three bytes, the invalid byte that it replaces only one.
  return encoded.length <= STORED_BODY_BYTES ? text : decode(encoded.subarray(0, STORED_BODY_BYTES), true)
}

/**
 * A Location header as text that can be stored and shown: at most 2,048 characters of its visibleText.
 *
 * @param header one character per byte, as an HTTP parser gives it
 */
export function locationText(header: string): string {
  return Array.from(visibleText(header)).slice(0, LOCATION_CHARACTERS).join('')
}

/**
 * The text of a header, read as UTF-8. Invalid bytes, control characters and characters that change the direction of
 * writing become U+FFFD, so that a page or a terminal shows it as it is.
 *
 * @param header one character per byte, as an HTTP parser gives it
 */
export const visibleText = (header: string): string =>
  decode(Buffer.from(header, 'latin1'), false).replaceAll(/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu, '\uFFFD')
