import type { SettingsFingerprint } from './sealing/settings-fingerprint.ts'

/* The state of the service's processes, and of the servers that they use. */

/** A worker with a recent heartbeat. */
export type LiveWorker = {
  readonly id: string
  /** Its settings. undefined if its release does not write them, or writes them in another form. */
  readonly settings: SettingsFingerprint | undefined
}

/** A worker that has not signed off. A worker that was killed stays for an hour. */
export type KnownWorker = LiveWorker & {
  readonly address: string
  /** Its release; undefined if its release does not write it. */
  readonly version: string | undefined
  readonly startedAt: Date
  /** How long ago its latest heartbeat was, by the database's clock, in milliseconds. */
  readonly silentMs: number
  readonly isLive: boolean
}

/**
 * The workers in the database, and which of them is the leader. Only the leader does the work that one worker alone may
 * do.
 */
export type Workers = { readonly workers: readonly KnownWorker[]; readonly leaderId: string | undefined }

export type OutboxFigures = {
  /** The number of rows in the outbox: exact up to 10,000, above that an estimate by the database server. */
  readonly pending: number
  /** The row that waits longest became due this many seconds ago. First attempts to failing endpoints are left out. */
  readonly oldestSeconds: number
}

/** A database that answers and has the tables of this release. */
export type Running = Workers & {
  readonly kind: 'up'
  readonly server: string
  /** How far the clock of this machine is ahead of the database's clock. */
  readonly aheadMs: number
  readonly isWritable: boolean
  readonly outbox: OutboxFigures
}

/** The result of checking every part once: everything that the command `status` shows. */
export type Status = {
  readonly database:
    | Running
    | { readonly kind: 'unusable'; readonly server: string; readonly missing: readonly string[] }
    | { readonly kind: 'away'; readonly reason: string }
  /** The version of Temporal's server; undefined if it does not answer. */
  readonly temporal: string | undefined
  /** Whether the api answers. `missing`: the parts that its /readyz names. `code`: why its certificate is not trusted. */
  readonly api:
    | { readonly kind: 'answers'; readonly missing: readonly string[] }
    | { readonly kind: 'untrusted'; readonly code: string }
    | { readonly kind: 'away' }
  /** What is wrong, as sentences, the most serious first. */
  readonly troubles: readonly string[]
}
