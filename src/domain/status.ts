import type { SettingsFingerprint } from './sealing/settings-fingerprint.ts'

/* What is known of the processes of the service, and of what they run on. */

/** A worker with a recent heartbeat. */
export type LiveWorker = {
  readonly id: string
  /** Its settings; undefined when its release writes none, or writes them in another form. */
  readonly settings: SettingsFingerprint | undefined
}

/** A worker that has not said goodbye. One that was killed stays for an hour. */
export type KnownWorker = LiveWorker & {
  readonly address: string
  /** Its release; undefined for one that does not write it. */
  readonly version: string | undefined
  readonly startedAt: Date
  /** How long ago its latest heartbeat was, by the database's clock. */
  readonly silentMs: number
  readonly isLive: boolean
}

/** The workers that the database knows, and which of them is the leader: it does the work that only one may do. */
export type Workers = { readonly workers: readonly KnownWorker[]; readonly leaderId: string | undefined }

export type OutboxFigures = {
  /** Rows of the outbox: exact up to 10,000, beyond that as the server estimates it. */
  readonly pending: number
  /** How many seconds ago the longest waiting row became due. First attempts to failing endpoints are left out. */
  readonly oldestSeconds: number
}

/** A database that answers and has the tables of this release. */
export type Running = Workers & {
  readonly kind: 'up'
  readonly server: string
  /** How far the clock of this machine is ahead of that of the database. */
  readonly aheadMs: number
  readonly isWritable: boolean
  readonly outbox: OutboxFigures
}

/** What one look at every part found: everything that `status` shows. */
export type Status = {
  readonly database:
    | Running
    | { readonly kind: 'unusable'; readonly server: string; readonly missing: readonly string[] }
    | { readonly kind: 'away'; readonly reason: string }
  /** The version of Temporal's server; undefined: it does not answer. */
  readonly temporal: string | undefined
  /** Whether the api answers. `missing`: the parts that its /readyz names. `code`: why its certificate is not trusted. */
  readonly api:
    | { readonly kind: 'answers'; readonly missing: readonly string[] }
    | { readonly kind: 'untrusted'; readonly code: string }
    | { readonly kind: 'away' }
  /** Sentences that say what is wrong, the most serious first. */
  readonly troubles: readonly string[]
}
