import type { OutboxFigures } from '../../db/outbox/figures.ts'
import type { KnownWorker } from '../../db/workers.ts'
import { differingAmong } from '../../domain/sealing/settings-fingerprint.ts'

/** The workers that the database knows, and the one that does what only one may do. */
export type Workers = { readonly workers: readonly KnownWorker[]; readonly leaderId: string | undefined }

type Running = Workers & {
  readonly kind: 'up'
  readonly server: string
  /** How far the clock of this machine is ahead of that of the database. */
  readonly aheadMs: number
  readonly isWritable: boolean
  readonly outbox: OutboxFigures
}

/** What one look at every part found. */
export type Look = {
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
}

/** An outbox row that has waited for longer than this is late: workers claim rows that are due within 50 ms. */
const LATE_S = 60
/** As the processes, which warn beyond this. */
const CLOCKS_DIFFER_MS = 1_000

/** Sentences that say what is wrong, the most serious first. */
export function findTroubles({ database, temporal, api }: Look): string[] {
  return [
    ...troublesOf(database),
    ...(temporal === undefined ? ['Temporal does not answer.'] : []),
    ...troublesOfApi(api),
  ]
}

function troublesOfApi(api: Look['api']): string[] {
  switch (api.kind) {
    case 'away':
      return ['The api does not answer.']
    case 'untrusted':
      return [
        `The certificate of the api at PUBLIC_URL is not trusted here (${api.code}): it must be valid and name the host of PUBLIC_URL. ` +
          'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, if that is your own.',
      ]
    case 'answers':
      return api.missing.length > 0 ? [`The api is not ready: ${api.missing.join(', ')}.`] : []
  }
}

function troublesOf(database: Look['database']): string[] {
  switch (database.kind) {
    case 'away':
      return [database.reason]
    case 'unusable':
      return [`The database lacks ${database.missing.join(', ')}: run "migrate".`]
    case 'up':
      return [...(database.isWritable ? [] : ['The database takes no writes.']), ...troublesWithin(database)]
  }
}

function troublesWithin({ workers, outbox, aheadMs }: Running): string[] {
  const live = workers.filter(({ isLive }) => isLive)
  const silent = workers.filter(({ isLive }) => !isLive)
  const versions = [...new Set(live.map(({ version }) => version ?? 'unknown'))].sort()
  const settings = differingAmong(live.flatMap((worker) => worker.settings ?? []))
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return [
    ...(live.length === 0 ? ['No worker lives: nothing is sent.'] : []),
    ...silent.map(({ id, silentMs }) => `${id} has been silent for ${seconds(silentMs)}.`),
    ...(versions.length > 1 ? [`Workers run different versions: ${versions.join(', ')}.`] : []),
    ...(settings.length > 0 ? [`Workers differ in ${settings.join(', ')}.`] : []),
    ...(outbox.oldestSeconds > LATE_S
      ? [`The oldest row of the outbox has been due for ${seconds(outbox.oldestSeconds * 1000)}.`]
      : []),
    ...(Math.abs(aheadMs) > CLOCKS_DIFFER_MS
      ? [`The clock of this machine is ${seconds(Math.abs(aheadMs))} ${direction} that of the database.`]
      : []),
  ]
}

const seconds = (durationMs: number): string => `${Math.round(durationMs / 1000)} s`
