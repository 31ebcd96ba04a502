import type { Db } from './connection.js'
import { isDuplicate } from './errors.js'

/** A repeat is answered from the first answer for this long (design section 4, idempotency). */
const KEPT_HOURS = 24
/** Longer than any request may take; after it the process that began the request is taken for dead. */
const LEASE_S = 60

/** A request that may come again: which one it is, and what it asks. */
export type IdempotentRequest = {
  /** SHA-256 of key, route and Idempotency-Key. */
  readonly scope: Buffer
  readonly companyId: string
  /** SHA-256 of the body. */
  readonly fingerprint: Buffer
}

/** What a claim found: nothing (`claimed`: go on), the first request still at work, another body, or its answer. */
export type IdempotencyClaim =
  | { readonly kind: 'claimed' }
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
 * Takes the request, or tells what became of the first one like it. Single statements and no transaction: an insert
 * that meets its like keeps a shared lock until its transaction ends, and twenty of those would deadlock.
 */
export async function claimRequest(db: Db, request: IdempotentRequest): Promise<IdempotencyClaim> {
  const fresh = {
    company_id: request.companyId,
    fingerprint: request.fingerprint,
    status: null,
    answer_sealed: null,
    locked_until: db.raw(`NOW(3) + INTERVAL ${LEASE_S} SECOND`),
    created_at: db.raw('NOW(3)'),
  }
  try {
    await db('idempotency').insert({ scope: request.scope, ...fresh })
    return { kind: 'claimed' }
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  const stored = await findRow(db, request.scope)
  if (!stored) return { kind: 'running' }
  const claim = judge(stored, request.fingerprint)
  if (claim.kind !== 'claimed') return claim
  const { locked_until, created_at } = stored
  const taken = await db('idempotency')
    .where({ scope: request.scope, locked_until, created_at })
    .update(fresh)
  return { kind: taken === 1 ? 'claimed' : 'running' }
}

async function findRow(db: Db, scope: Buffer): Promise<StoredRow | undefined> {
  const rows: StoredRow[] = await db('idempotency')
    .where({ scope })
    .select(
      '*',
      db.raw(`created_at < NOW(3) - INTERVAL ${KEPT_HOURS} HOUR AS is_over`),
      db.raw('locked_until > NOW(3) AS is_running'),
    )
  return rows[0]
}

/** `claimed` here means free to be taken over. */
function judge(stored: StoredRow, fingerprint: Buffer): IdempotencyClaim {
  if (stored.is_over) return { kind: 'claimed' }
  if (!stored.fingerprint.equals(fingerprint)) return { kind: 'other-body' }
  if (stored.answer_sealed !== null) return { kind: 'answered', answerSealed: stored.answer_sealed }
  return { kind: stored.is_running ? 'running' : 'claimed' }
}

/** Keeps the answer for the repeats. */
export async function storeAnswer(
  db: Db,
  scope: Buffer,
  status: number,
  answerSealed: string,
): Promise<void> {
  await db('idempotency').where({ scope }).update({ status, answer_sealed: answerSealed })
}

/** Forgets a request that failed, so that it may be tried again. */
export async function releaseRequest(db: Db, scope: Buffer): Promise<void> {
  await db('idempotency').where({ scope }).whereNull('answer_sealed').delete()
}
