import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What is signed: the message id, whole Unix seconds of this attempt, and the very bytes that are sent. */
export type SigningInput = {
  readonly secret: string
  readonly id: string
  readonly timestampSeconds: number
  readonly body: Buffer
}

const SECRET_PREFIX = 'whsec_'
/** 24 bytes need no base64 padding that copy and paste could lose (Standard Webhooks asks for 24 to 64). */
const SECRET_BYTES = 24

/** A fresh signing secret: `whsec_` and the base64 of 24 random bytes. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** Compares hashes, which have one length, so that the time taken tells nothing of the secret. */
export const isSameSecret = (given: string, current: string): boolean =>
  timingSafeEqual(sha256(given), sha256(current))

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The Standard Webhooks signature: HMAC-SHA256 over `<id>.<timestamp>.<body>` under the decoded bytes of the secret.
 *
 * @returns `v1,<base64>`
 * @throws Error when the secret does not start with `whsec_`
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook({ secret, id, timestampSeconds, body }: SigningInput): string {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('A webhook secret must start with whsec_.')
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')
  return `v1,${mac}`
}

/** The three request headers a Standard Webhooks receiver checks. */
export const signatureHeaders = (input: SigningInput): Record<string, string> => ({
  'webhook-id': input.id,
  'webhook-timestamp': String(input.timestampSeconds),
  'webhook-signature': signWebhook(input),
})
