/** Contexts for `seal`: what a sealed text belongs to. Moved to another row, the text does not open. */

/** The context of a webhook's signing secret or custom headers. */
export const webhookContext = (companyId: string, webhookId: string, what: 'secret' | 'headers'): string =>
  `${companyId}|${webhookId}|${what}`

/** The context of an answer that is kept for repeats of a request. `requestHash` identifies the request. */
export const answerContext = (companyId: string, requestHash: Buffer): string =>
  `${companyId}|${requestHash.toString('hex')}|idempotency`

/** The context of the secret of a user's authenticator app. */
export const totpContext = (companyId: string, userId: string): string => `${companyId}|${userId}|totp`
