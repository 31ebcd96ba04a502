import { Secret, TOTP } from 'otpauth'
import type { ConsoleClient } from './console.ts'

export const TOTP_PATH = '/console/api/totp'

/** The code of an authenticator app, this many steps of 30 seconds from now. */
export const codeOf = (secret: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 })

/** Turns on the second factor of the signed-in user. */
export async function setUpTotp(
  client: ConsoleClient,
): Promise<{ readonly secret: string; readonly recoveryCodes: string[] }> {
  const { body } = await client.request('POST', TOTP_PATH, {})
  const { secret } = body.data
  const confirmed = await client.request('POST', `${TOTP_PATH}/confirm`, { code: codeOf(secret) })
  return { secret, recoveryCodes: confirmed.body.data.recovery_codes }
}
