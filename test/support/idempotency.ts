import { randomBytes } from 'node:crypto'
import type { IdempotentRequest } from '../../src/db/idempotency.ts'
import { newId } from '../../src/domain/ids.ts'
import { AnswerHold, type AnswerToKeep } from '../../src/operations/idempotency.ts'

/** A request with an Idempotency-Key that no other request has. */
export const newIdempotentRequest = (): IdempotentRequest => ({
  requestHash: randomBytes(32),
  companyId: newId('company'),
  fingerprint: randomBytes(32),
})

/** An answer whose Idempotency-Key another request has taken over: keeping it ends with LOST_HOLD and takes the work back. */
export const answerOfLostHold = <T>(onResult: (result: T) => void = () => undefined): AnswerToKeep<T> => ({
  hold: new AnswerHold({ requestHash: randomBytes(32), lockedUntil: new Date(0) }, () => ({
    status: 201,
    sealed: 'never stored',
  })),
  toAnswer: (result) => {
    onResult(result)
    return { body: null }
  },
})

export const LOST_HOLD = 'CONFLICT: The first request with this Idempotency-Key is still running.'
