import { fromNow } from './clock.ts'
import type { Db } from './connection/connection.ts'
import { isDuplicate } from './connection/errors.ts'

/** For how long a repeat gets the stored answer to the first request. */
export const KEPT_HOURS = 24
/** A request with an Idempotency-Key. It may come again. */
export type IdempotentRequest = {
  /** SHA-256 of key, route and Idempotency-Key. */
  readonly requestHash: Buffer
  readonly companyId: string
  /** SHA-256 of the body. */
  readonly fingerprint: Buffer
}

/** A hold on a request. `lockedUntil` identifies it, because each later hold on the same request ends later. */
export type Hold = { readonly requestHash: Buffer; readonly lockedUntil: Date }

/**
 * `granted`: the caller may carry out the request. The other kinds: the first request with the same hash still runs,
 * had another body, or was answered.
 */
type HoldVerdict =
  | { readonly kind: 'granted'; readonly hold: Hold }
  | { readonly kind: 'running' }
  | { readonly kind: 'other-body' }
  | { readonly kind: 'answered'; readonly answerSealed: string }

type StoredRow = {
  fingerprint: Buffer
  answer_sealed: string | null
  locked_until: Date
  created_at: Date
  is_over: number
  is_running: number
}

/**
 * Takes a hold on the request, or says what happened to the first request with the same hash. It uses single statements
 * and no transaction. In a transaction, an insert of an existing row would keep a shared lock until the end, and twenty
 * such transactions would deadlock.
 *
 * @param holdMs longer than any request may take. After this time the process that began the request counts as dead
 */
export async function holdRequest(db: Db, request: IdempotentRequest, holdMs: number): Promise<HoldVerdict> {
  const { requestHash } = request
  const fresh = {
    company_id: request.companyId,
    fingerprint: request.fingerprint,
    status: null,
    answer_sealed: null,
    locked_until: fromNow(db, holdMs),
    created_at: db.raw('NOW(3)'),
  }
  try {
    await db('idempotency').insert({ scope: requestHash, ...fresh })
    return await readHold(db, requestHash)
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  const stored = await findRow(db, requestHash)
  if (!stored) return { kind: 'running' }
  const verdict = judge(stored, request.fingerprint)
  if (verdict.kind !== 'free') return verdict
  const { locked_until, created_at } = stored
  const taken = await db('idempotency').where({ scope: requestHash, locked_until, created_at }).update(fresh)
  return taken === 1 ? readHold(db, requestHash) : { kind: 'running' }
}

/** Reads the end of the hold that was just written. The database's clock has set it. */
async function readHold(db: Db, requestHash: Buffer): Promise<HoldVerdict> {
  const row = await findRow(db, requestHash)
  return row ? { kind: 'granted', hold: { requestHash, lockedUntil: row.locked_until } } : { kind: 'running' }
}

async function findRow(db: Db, requestHash: Buffer): Promise<StoredRow | undefined> {
  const rows: StoredRow[] = await db('idempotency')
    .where({ scope: requestHash })
    .select(
      '*',
      db.raw(`created_at < NOW(3) - INTERVAL ${KEPT_HOURS} HOUR AS is_over`),
      db.raw('locked_until > NOW(3) AS is_running'),
    )
  return rows[0]
}

function judge(
  stored: StoredRow,
  fingerprint: Buffer,
): Exclude<HoldVerdict, { kind: 'granted' }> | { readonly kind: 'free' } {
  if (stored.is_over) return { kind: 'free' }
  if (!stored.fingerprint.equals(fingerprint)) return { kind: 'other-body' }
  if (stored.answer_sealed !== null) return { kind: 'answered', answerSealed: stored.answer_sealed }
  return { kind: stored.is_running ? 'running' : 'free' }
}

/**
 * Stores the answer for repeats of the request.
 *
 * @returns false if the hold has ended and another caller holds the request. Then nothing is stored
 */
export async function storeAnswer(
  db: Db,
  hold: Hold,
  answer: { readonly status: number; readonly sealed: string },
): Promise<boolean> {
  const changes = { status: answer.status, answer_sealed: answer.sealed }
  return (await ofHold(db, hold).update(changes)) === 1
}

/** Removes a request that failed, so that it can be repeated. Leaves it if another caller holds the request now. */
export async function releaseHold(db: Db, hold: Hold): Promise<void> {
  await ofHold(db, hold).whereNull('answer_sealed').delete()
}

const ofHold = (db: Db, { requestHash, lockedUntil }: Hold) =>
  db('idempotency').where({ scope: requestHash, locked_until: lockedUntil })
