import { claimRequest, releaseRequest, storeAnswer, type IdempotentRequest } from '../db/idempotency.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../domain/errors.js'
import { seal, unseal } from '../domain/sealing.js'

/** An answer that can be given again. */
type Answer = {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Runs the work for the first of equal requests and gives its answer to the others for 24 hours. Answers are kept
 * sealed: some hold a secret that is shown once. A failure is not kept. A process that dies between the commit of the
 * work and the keeping of its answer leaves the repeat to run again.
 *
 * @throws ApiError IDEMPOTENCY_KEY_REUSED for another body; CONFLICT while the first request runs
 */
export async function runOnce<T extends Answer>(
  deps: Deps,
  request: IdempotentRequest,
  work: () => Promise<T>,
): Promise<{ answer: Answer; isReplay: boolean }> {
  const { config, db } = deps
  const context = `${request.companyId}|${request.scope.toString('hex')}|idempotency`
  const claim = await claimRequest(db, request)
  if (claim.kind === 'answered') {
    const answer = JSON.parse(unseal(config.secretsKeys, claim.answerSealed, context)) as Answer
    return { answer, isReplay: true }
  }
  refuseUnlessClaimed(claim.kind)
  const answer = await workOrRelease(deps, request, work)
  const sealed = seal(config.secretsKeys, JSON.stringify(answer), context)
  await storeAnswer(db, request.scope, answer.status ?? 200, sealed)
  return { answer, isReplay: false }
}

function refuseUnlessClaimed(kind: 'claimed' | 'running' | 'other-body'): void {
  if (kind === 'other-body') {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key was used with another body.')
  }
  if (kind === 'running') {
    throw new ApiError('CONFLICT', 'The first request with this Idempotency-Key is still running.', {
      headers: { 'Retry-After': '1' },
    })
  }
}

async function workOrRelease<T>({ db, log }: Deps, { scope }: IdempotentRequest, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    await releaseRequest(db, scope).catch((failure: unknown) => {
      log.warn({ err: failure }, 'an idempotency key stays taken until its lease ends')
    })
    throw error
  }
}
