import {
  listAnswerSeals,
  listTotpSeals,
  listWebhookSeals,
  type AnswerSeal,
  type TotpSeal,
  type WebhookSeals,
} from '../../db/sealing/sealed-values.ts'
import { listCanaries } from '../../db/sealing/sealing-keys.ts'
import { listLiveWorkers } from '../../db/workers.ts'
import { ApiError } from '../../domain/errors.ts'
import { opensCanary } from '../../domain/sealing/canary.ts'
import { SealError, type KeyRing } from '../../domain/sealing/sealing.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { resealAnswer, resealTotp, resealWebhook } from './reseal-rows.ts'

/** How many rows were sealed anew under the first key, or would be in a dry run, and how many were read. */
type ResealCount = { readonly read: number; readonly resealed: number }

type ResealResult = {
  readonly firstKeyId: string
  readonly webhooks: ResealCount
  readonly answers: ResealCount
  /** Secrets of authenticator apps. */
  readonly secondFactors: ResealCount
}

/** Rows that are read at once. A kept answer may have several 100 KiB. */
const PAGE = 100

/** How many ids of rows that cannot be opened the refusal names. */
const NAMED = 5

/**
 * Seals every signing secret, all custom headers, every kept answer and every secret of an authenticator app under the
 * first key of SECRETS_KEYS. It leaves rows alone that have that key, so after an interruption it goes on where it was.
 * Deliveries may go out meanwhile: it changes a row in one statement, and only if the row is as it was read. If somebody
 * else changes the row at that moment, that process seals it.
 *
 * @param isDryRun reads and opens everything, and changes nothing
 * @throws ApiError INVALID_REQUEST before anything changes, when a running process may not know the first key; at the end,
 *   when rows could not be opened
 */
export async function resealSecrets(
  deps: SystemDeps,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<ResealResult> {
  const ring = deps.config.secretsKeys
  await checkFirstKey(deps, ring)
  const unreadable: string[] = []
  const webhooks = await walk<WebhookSeals, string>({
    start: '',
    list: (afterId) => listWebhookSeals(deps.db, afterId, PAGE),
    placeOf: ({ id }) => id,
    change: (row) => resealWebhook(deps, row, isDryRun),
    onUnreadable: ({ id }) => unreadable.push(`webhook ${id}`),
  })
  const answers = await walk<AnswerSeal, Buffer>({
    start: Buffer.alloc(0),
    list: (afterHash) => listAnswerSeals(deps.db, afterHash, PAGE),
    placeOf: ({ requestHash }) => requestHash,
    change: (row) => resealAnswer(deps, row, isDryRun),
    onUnreadable: ({ companyId }) => unreadable.push(`an answer kept for ${companyId}`),
  })
  const secondFactors = await walk<TotpSeal, string>({
    start: '',
    list: (afterId) => listTotpSeals(deps.db, afterId, PAGE),
    placeOf: ({ id }) => id,
    change: (row) => resealTotp(deps, row, isDryRun),
    onUnreadable: ({ id }) => unreadable.push(`the second factor of ${id}`),
  })
  if (unreadable.length > 0) throw notOpened(unreadable, isDryRun)
  return { firstKeyId: ring.firstKeyId, webhooks, answers, secondFactors }
}

/**
 * Refuses while a process may run that lacks the first key and could not open the rows. A process that was started with a
 * key has left a canary of it, and each worker's heartbeat names the first key with which it seals.
 */
async function checkFirstKey({ db }: SystemDeps, ring: KeyRing): Promise<void> {
  const { firstKeyId } = ring
  const canary = (await listCanaries(db)).find(({ keyId }) => keyId === firstKeyId)
  if (!canary || !opensCanary(ring, canary)) {
    throw new ApiError(
      'INVALID_REQUEST',
      `No process was started with this key "${firstKeyId}": restart every process with these SECRETS_KEYS first.`,
    )
  }
  const others = (await listLiveWorkers(db)).filter(
    ({ settings }) => settings !== undefined && settings.keyId !== firstKeyId,
  )
  const [other] = others
  if (other) {
    throw new ApiError(
      'INVALID_REQUEST',
      `Worker ${other.id} seals with another key than "${firstKeyId}": restart every process with these SECRETS_KEYS first.`,
    )
  }
}

type Walk<Row, Place> = {
  readonly start: Place
  readonly list: (after: Place) => Promise<Row[]>
  readonly placeOf: (row: Row) => Place
  /** Gives whether the row was changed. @throws SealError when it cannot be opened */
  readonly change: (row: Row) => Promise<boolean>
  readonly onUnreadable: (row: Row) => void
}

async function walk<Row, Place>({ start, list, placeOf, change, onUnreadable }: Walk<Row, Place>) {
  const count = { read: 0, resealed: 0 }
  let place = start
  for (let rows = await list(place); rows.length > 0; rows = await list(place)) {
    for (const row of rows) {
      place = placeOf(row)
      count.read += 1
      try {
        if (await change(row)) count.resealed += 1
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        onUnreadable(row)
      }
    }
  }
  return count
}

function notOpened(rows: readonly string[], isDryRun: boolean): ApiError {
  const named = rows.slice(0, NAMED).join(', ')
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ''
  return new ApiError(
    'INVALID_REQUEST',
    `SECRETS_KEYS does not open ${named}${more}. All others ${isDryRun ? 'can be' : 'are'} sealed under the first key.`,
  )
}
