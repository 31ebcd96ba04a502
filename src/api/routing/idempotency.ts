import { createHash, createHmac } from 'node:crypto'
import type { Context } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import { runOnce, type AnswerHold } from '../../operations/idempotency.ts'
import type { Caller } from '../auth/caller.ts'
import { headerValues } from '../edge/request.ts'
import type { Answer } from './route.ts'
import { invalid } from '../../domain/errors.ts'

const HEADER = 'idempotency-key'
const ACCEPTED = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** Answers a repeated POST with the answer to the first one. */
export type Idempotency = (
  ctx: Context,
  caller: Caller,
  rawBody: unknown,
  handle: (hold: AnswerHold | undefined) => Promise<Answer>,
) => Promise<Answer>

/** Only for POST. A repeat has the same caller, path and Idempotency-Key. Without the header no answer is stored. */
export const createIdempotency =
  (deps: Deps): Idempotency =>
  async (ctx, { id, tenant }, rawBody, handle) => {
    const idempotencyKey = ctx.method === 'POST' ? readKey(ctx) : undefined
    if (idempotencyKey === undefined) return handle(undefined)
    const request = {
      requestHash: sha256(JSON.stringify([id, ctx.path, idempotencyKey])),
      companyId: tenant.companyId,
      fingerprint: fingerprintOf(rawBody, idempotencyKey),
    }
    const { answer, isReplay } = await runOnce(deps, request, handle)
    return isReplay ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer
  }

function readKey(ctx: Context): string | undefined {
  const given = headerValues(ctx.req, HEADER)
  if (given.length === 0) return undefined
  const [value = ''] = given
  if (given.length === 1 && ACCEPTED.test(value)) return value
  throw invalid('Idempotency-Key must be given once, 1 to 255 printable ASCII characters.')
}

/**
 * A keyed hash that distinguishes bodies. Its key is the Idempotency-Key, which is never stored. A body may contain a
 * password, which could be guessed from a plain hash in the database.
 */
const fingerprintOf = (rawBody: unknown, idempotencyKey: string): Buffer =>
  createHmac('sha256', idempotencyKey)
    .update(JSON.stringify(rawBody ?? null))
    .digest()

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
