/**
 * How long each step of an attempt took, in whole milliseconds. null: the step did not happen. A kept connection needs
 * no step before the first byte. A step that failed has the time until it failed, and those after it are null.
 */
export type StepTimes = {
  /** Resolving the host name; null for a URL with an address in place of a name, and for a name that did not resolve. */
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From the sending of the request to the first byte of an answer, informational answers included. */
  readonly firstByteMs: number | null
}

/** The times of an attempt of which no step was measured. */
export const NO_STEPS: StepTimes = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
