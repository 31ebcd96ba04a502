import { randomBytes } from 'node:crypto'
import type { IdempotentRequest } from '../../src/db/idempotency.js'
import { newId } from '../../src/domain/ids.js'

/** A request with an Idempotency-Key that no other request has. */
export const newIdempotentRequest = (): IdempotentRequest => ({
  requestHash: randomBytes(32),
  companyId: newId('company'),
  fingerprint: randomBytes(32),
})
