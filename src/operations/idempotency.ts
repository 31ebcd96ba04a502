import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import {
  holdRequest,
  releaseHold,
  storeAnswer,
  type Hold,
  type IdempotentRequest,
} from '../db/idempotency.ts'
import type { Deps } from '../deps/deps.ts'
import { doublingPause } from '../domain/doubling.ts'
import { ApiError, retryLater } from '../domain/errors.ts'
import { seal, sealContext, unseal } from '../domain/sealing/sealing.ts'
import { testLimitMs } from '../workflows/contract.ts'

/**
 * A hold lasts as long as a test event may wait for its endpoint, which is the longest such wait, plus this time for
 * queries.
 */
const HOLD_ALLOWANCE_MS = 35_000
const PAUSE_MS = { first: 250, longest: 5_000 }

/** An answer that can be repeated. */
export type Answer = {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer that an operation keeps with its change. No `hold`: no Idempotency-Key was sent, so nothing is kept. */
export type AnswerToKeep<T> = {
  readonly hold: AnswerHold | undefined
  /** Makes the answer from the operation's result. */
  readonly toAnswer: (result: T) => Answer
}

/**
 * Keeps the answer in the transaction of the operation: the change and its answer are stored together or not at all,
 * even if the process dies. Each operation calls it after its own writes.
 *
 * @returns the result
 * @throws ApiError CONFLICT, which rolls the operation back, when the hold ended and another request took the key over
 */
export async function keepAnswer<T>(
  trx: Knex.Transaction,
  kept: AnswerToKeep<T> | undefined,
  result: T,
): Promise<T> {
  if (kept?.hold) await kept.hold.keep(trx, kept.toAnswer(result))
  return result
}

/** The hold of a request on its Idempotency-Key, and whether the answer was kept under it. */
export class AnswerHold {
  readonly #hold: Hold
  readonly #sealAnswer: (answer: Answer) => SealedAnswer
  #isKept = false

  constructor(hold: Hold, sealAnswer: (answer: Answer) => SealedAnswer) {
    this.#hold = hold
    this.#sealAnswer = sealAnswer
  }

  get isKept(): boolean {
    return this.#isKept
  }

  /** @throws ApiError CONFLICT when another request has taken the key over */
  async keep(trx: Knex.Transaction, answer: Answer): Promise<void> {
    if (!(await storeAnswer(trx, this.#hold, this.#sealAnswer(answer)))) throw refusal('running')
    this.#isKept = true
  }
}

/**
 * Runs the work for the first of equal requests, and repeats its answer to the others for 24 hours. Answers are kept
 * sealed, because some contain a secret that is shown once. A failure is not kept.
 *
 * A test event is not a single transaction, so its work cannot keep its answer. Then this function keeps the answer.
 * The caller gets the answer even if it cannot be kept yet. Until it is kept, a repeated request gets CONFLICT. If the
 * process dies before that, a repeated request after the end of the hold runs the work again.
 *
 * @throws ApiError IDEMPOTENCY_KEY_REUSED for another body; CONFLICT while the first request runs
 */
export async function runOnce<T extends Answer>(
  deps: Deps,
  request: IdempotentRequest,
  work: (hold: AnswerHold) => Promise<T>,
): Promise<{ answer: Answer; isReplay: boolean }> {
  const { config, db } = deps
  const context = sealContext(request.companyId, request.requestHash, 'idempotency')
  const verdict = await holdRequest(db, request, testLimitMs(config) + HOLD_ALLOWANCE_MS)
  if (verdict.kind === 'answered') {
    const answer = JSON.parse(unseal(config.secretsKeys, verdict.answerSealed, context)) as Answer
    return { answer, isReplay: true }
  }
  if (verdict.kind !== 'granted') throw refusal(verdict.kind)
  const { hold } = verdict
  const toSealed = (answer: Answer): SealedAnswer => ({
    status: answer.status ?? 200,
    sealed: seal(config.secretsKeys, JSON.stringify(answer), context),
  })
  const answerHold = new AnswerHold(hold, toSealed)
  const answer = await workOrRelease(deps, hold, () => work(answerHold))
  if (answerHold.isKept) return { answer, isReplay: false }
  // Tries once before the caller is answered, then in the background for as long as the process lives.
  const kept = toSealed(answer)
  if (!(await tryToKeep(deps, hold, kept))) void keepTrying(deps, hold, kept)
  return { answer, isReplay: false }
}

const refusal = (kind: 'running' | 'other-body'): ApiError =>
  kind === 'other-body'
    ? new ApiError('IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key was used with another body.')
    : retryLater('CONFLICT', 'The first request with this Idempotency-Key is still running.', 1_000)

async function workOrRelease<T>({ db, log }: Deps, hold: Hold, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await releaseHold(db, hold).catch((failure: unknown) => {
      log.warn({ err: failure }, 'an idempotency key stays taken until its hold ends')
    })
    throw error
  }
}

type SealedAnswer = Parameters<typeof storeAnswer>[2]

async function keepTrying(deps: Deps, hold: Hold, answer: SealedAnswer): Promise<void> {
  let tries = 0
  do await pause(doublingPause(PAUSE_MS, tries++), undefined, { ref: false })
  while (!(await tryToKeep(deps, hold, answer)))
}

/** True when no further try is needed: the answer is kept, or a later request has taken the key over. */
async function tryToKeep({ db, log }: Deps, hold: Hold, answer: SealedAnswer): Promise<boolean> {
  try {
    const isKept = await storeAnswer(db, hold, answer)
    if (!isKept) log.warn('an answer came after the hold on its Idempotency-Key and is not kept')
    return true
  } catch (error) {
    log.warn({ err: error }, 'the answer to an Idempotency-Key is not kept yet')
    return false
  }
}
