import { texts } from './texts.ts'

/** A request as a receiver got it, and the secret to check it with. */
type Signed = {
  readonly secret: string
  readonly eventId: string
  readonly timestamp: string
  /** The value of the header: one or more signatures, separated by spaces. */
  readonly signatures: string
  /** The body as it was sent. */
  readonly body: string
}

export type Verdict = { readonly isOurs: boolean; readonly reason: string }

/**
 * Checks a signature by the rules of docs/receiving.md, in the browser. The secret does not leave it.
 *
 * @returns why the signature is wrong, in plain words
 */
export async function verifySignature({
  secret,
  eventId,
  timestamp,
  signatures,
  body,
}: Signed): Promise<Verdict> {
  const key = decodeSecret(secret.trim())
  if (!key) return no(texts.secretForm)
  if (!/^\d{1,12}$/.test(timestamp.trim())) return no(texts.timestampForm)
  const given = signatures.trim().split(/\s+/)
  if (!given.some((each) => each.startsWith('v1,'))) return no(texts.signatureForm)
  const expected = `v1,${await sign(key, `${eventId}.${timestamp.trim()}.${body}`)}`
  return given.includes(expected)
    ? {
        isOurs: true,
        reason: texts.signatureRight,
      }
    : no(texts.signatureWrong)
}

const no = (reason: string): Verdict => ({ isOurs: false, reason })

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1]
  if (encoded === undefined) return undefined
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

async function sign(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
  return btoa(String.fromCharCode(...mac))
}
