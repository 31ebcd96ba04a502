/** The outcome of a sign-in, for the log and the metric. The caller never learns whether the email or the password was wrong. */
export const SIGN_IN_OUTCOMES = [
  'signed_in',
  /** The password is right in several companies. The next request must name the company. */
  'choose_company',
  /** The password is right. The code is asked for next. */
  'code_missing',
  'unknown_email',
  'wrong_password',
  /** The password is right, but the code is wrong. */
  'wrong_code',
  /** The password is right, but too many wrong codes have locked the codes of the app. */
  'code_locked',
  /** The link was made for another email than the one in the request. */
  'other_email',
  /** There were too many tries for an email, an address or a user. Or too many passwords are being checked at once. */
  'throttled',
  /** A fault of ours, for example a database that does not answer. */
  'fault',
] as const

export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number]

/** The cause of a refused sign-in or password. Only the log, the metric and the throttle see it. */
export class SignInRefusal {
  readonly reason: Exclude<SignInOutcome, 'signed_in' | 'choose_company' | 'fault'>
  /** The users with the given email. */
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
 * How long to wait, in milliseconds, so that a few comparisons of passwords take as long as many.
 *
 * @param spentMs how long the comparisons took
 * @param compared how many there were, at least 1
 * @param most how many there could have been
 */
export const evenWaitMs = (spentMs: number, compared: number, most: number): number =>
  Math.max(0, (spentMs / compared) * (most - compared))
