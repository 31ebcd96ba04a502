import {
  listSealedRows,
  replaceSealed,
  listCanaries,
  type SealedTable,
} from '../../db/sealing/sealing-keys.ts'
import { listLiveWorkers } from '../../db/workers.ts'
import { invalidRequest, type ApiError } from '../../domain/errors.ts'
import {
  opensCanary,
  reseal,
  sealContext,
  SealError,
  type KeyRing,
  type SealedValue,
} from '../../domain/sealing/sealing.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/** How many rows were read, and how many of them were sealed anew under the first key, or would be in a dry run. */
type ResealCount = { readonly read: number; readonly resealed: number }

/** How many rows are read at once. A kept answer may have several 100 KiB. */
const PAGE = 100

/** The refusal names at most this many of the rows that cannot be opened. */
const NAMED = 5

/**
 * Seals these under the first key of SECRETS_KEYS: all signing secrets, custom headers, kept answers, secrets of
 * authenticator apps, mails that wait, and channels for notices. Rows that are already sealed under that key stay as
 * they are, so after an interruption the command goes on where it was. Deliveries may go out at the same time: the
 * command changes a row in one statement, and only if no other process has changed it since it was read. A process that
 * has changed the row has sealed it under the first key.
 *
 * @param isDryRun reads and opens everything, and changes nothing
 * @returns the counts of each kind
 * @throws ApiError INVALID_REQUEST while there may be a running process without the first key; then nothing has
 *   changed. Also at the end, when there are rows that could not be opened
 */
export async function resealSecrets(deps: SystemDeps, { isDryRun }: { readonly isDryRun: boolean }) {
  const ring = deps.config.secretsKeys
  await checkFirstKey(deps, ring)
  const unreadable: string[] = []
  const resealed = (table: SealedTable) => resealTable(deps, table, { isDryRun, unreadable })
  const counts = {
    webhooks: await resealed('webhooks'),
    answers: await resealed('idempotency'),
    secondFactors: await resealed('users'),
    mails: await resealed('mails'),
    channels: await resealed('notice_channels'),
  }
  if (unreadable.length > 0) throw notOpened(unreadable, isDryRun)
  return { firstKeyId: ring.firstKeyId, ...counts }
}

/**
 * Refuses while there may be a running process that lacks the first key, because such a process could not open the
 * rows. A process that was started with a key has left a canary of it. Each worker's heartbeat names the key with which
 * the worker seals, the first of its SECRETS_KEYS.
 */
async function checkFirstKey({ db }: SystemDeps, ring: KeyRing): Promise<void> {
  const { firstKeyId } = ring
  const canary = (await listCanaries(db)).find(({ keyId }) => keyId === firstKeyId)
  if (!canary || !opensCanary(ring, canary)) {
    throw invalidRequest(
      `No process was started with this key "${firstKeyId}": restart every process with these SECRETS_KEYS first.`,
    )
  }
  const workers = await listLiveWorkers(db)
  const other = workers.find(({ settings }) => settings !== undefined && settings.keyId !== firstKeyId)
  if (other) {
    throw invalidRequest(
      `Worker ${other.id} seals with another key than "${firstKeyId}": restart every process with these SECRETS_KEYS first.`,
    )
  }
}

type Kind = {
  /** What the sealed columns hold. */
  readonly values: readonly SealedValue[]
  /** How the refusal names a row. */
  readonly nameOf: (key: string, companyId: string) => string
}

const KINDS: Readonly<Record<SealedTable, Kind>> = {
  webhooks: { values: ['secret', 'headers'], nameOf: (id) => `webhook ${id}` },
  idempotency: { values: ['idempotency'], nameOf: (_, companyId) => `an answer kept for ${companyId}` },
  users: { values: ['totp'], nameOf: (id) => `the second factor of ${id}` },
  mails: { values: ['mail'], nameOf: (id) => `the mail ${id}` },
  notice_channels: { values: ['target', 'secret'], nameOf: (id) => `the channel ${id}` },
}

/** Seals the rows of a table anew, page by page. Adds to `unreadable` the names of rows that no key opens. */
async function resealTable(
  { db, config }: SystemDeps,
  table: SealedTable,
  { isDryRun, unreadable }: { readonly isDryRun: boolean; readonly unreadable: string[] },
): Promise<ResealCount> {
  const { values, nameOf } = KINDS[table]
  const count = { read: 0, resealed: 0 }
  const next = (after: string | Buffer) => listSealedRows(db, table, after, PAGE)
  for (let rows = await next(''); rows.length > 0; rows = await next(rows.at(-1)?.key ?? '')) {
    for (const row of rows) {
      count.read += 1
      try {
        const anew = values.map((value, index) => {
          const text = row.sealed[index] ?? null
          return text && reseal(config.secretsKeys, text, sealContext(row.companyId, row.key, value))
        })
        const isChanged = anew.some((text, index) => text !== row.sealed[index])
        if (isChanged && (isDryRun || (await replaceSealed(db, table, row, anew)))) count.resealed += 1
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        unreadable.push(nameOf(String(row.key), row.companyId))
      }
    }
  }
  return count
}

function notOpened(rows: readonly string[], isDryRun: boolean): ApiError {
  const named = rows.slice(0, NAMED).join(', ')
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ''
  return invalidRequest(
    `SECRETS_KEYS does not open ${named}${more}. All others ${isDryRun ? 'can be' : 'are'} sealed under the first key.`,
  )
}
