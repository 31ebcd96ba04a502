import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { State } from '../auth/caller.ts'

/** A client's id is kept only in this form, because other characters could forge log lines. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/

/** Gives every request an id, the client's own where it is well-formed, and answers with it. */
export const requestId = (): Middleware<State> => async (ctx, next) => {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = ACCEPTED.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  await next()
}
