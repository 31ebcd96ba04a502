/** What came of a sign-in: for the log and the metric. The caller never learns whether the email or the password was wrong. */
export const SIGN_IN_OUTCOMES = [
  'signed_in',
  /** The password is right in several companies: the next request says in which one. */
  'choose_company',
  /** The password is right, and the code is still to be asked for. */
  'code_missing',
  'unknown_email',
  'wrong_password',
  /** The password is right, and the code is not. */
  'wrong_code',
  /** The password is right, and too many wrong codes have locked those of the app. */
  'code_locked',
  /** A link was made for another email than the one that was typed. */
  'other_email',
  /** Too many tries of an email, an address or a user, or too many passwords that are checked at once. */
  'throttled',
  /** A fault of ours, for example a database that does not answer. */
  'fault',
] as const

export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number]

/** The cause of a refused sign-in or password. It is for log, metric and throttle alone. */
export class SignInRefusal {
  readonly reason: Exclude<SignInOutcome, 'signed_in' | 'choose_company' | 'fault'>
  /** The users that it concerns: those with the email. */
  readonly userIds: readonly string[]

  constructor(reason: SignInRefusal['reason'], userIds: readonly string[]) {
    this.reason = reason
    this.userIds = userIds
  }
}

/** Why a sign-in or a password was refused; undefined for any other error. */
export function refusalOfSignIn(error: unknown): SignInRefusal | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  return cause instanceof SignInRefusal ? cause : undefined
}

/**
 * How long to wait so that comparing few passwords takes as long as comparing many.
 *
 * @param spentMs what the comparisons took
 * @param compared how many they were, at least 1
 * @param most how many they could have been
 */
export const evenWaitMs = (spentMs: number, compared: number, most: number): number =>
  Math.max(0, (spentMs / compared) * (most - compared))
