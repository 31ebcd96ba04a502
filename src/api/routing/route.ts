import Router from '@koa/router'
import type Joi from 'joi'
import type { Middleware } from 'koa'
import { methodNotAllowed } from '../../domain/errors.ts'
import type { Scope } from '../../domain/key/scopes.ts'
import type { CostClass } from '../../operations/cost-limits.ts'
import type { Answer, AnswerToKeep } from '../../operations/idempotency.ts'
import type { Caller, State } from '../auth/caller.ts'
import type { Quota } from '../middleware/rate-limit.ts'

/** What a handler works with: everything in it is checked. */
export type ApiRequest<Query = unknown, Body = unknown, Target = unknown> = {
  readonly caller: Caller
  readonly arrivedAt: Date
  /** What is left of the caller's rate limit; undefined where there is none. */
  readonly quota: Quota | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** What the route's `target` found. */
  readonly target: Target
  /** The traceparent of the request's span; where no traces are sent, the one that the caller sent. */
  readonly traceparent: string | undefined
  /** A request header; undefined when absent. */
  readonly header: (name: string) => string | undefined
  /**
   * Runs an operation that is one transaction, and answers with its result. The operation keeps that answer under the
   * Idempotency-Key, where the caller sent one.
   */
  readonly answerOnce: <Result>(
    toAnswer: (result: Result) => Answer,
    operation: (kept: AnswerToKeep<Result>) => Promise<Result>,
  ) => Promise<Answer>
  /** Checks the caller's key again, with its scope, for a route that has waited. Throws the refusal. */
  readonly recheck: () => Promise<void>
  /** Calls the listener when the answer is sent, or the client is gone. */
  readonly onGone: (listener: () => void) => void
  /** Waits until there is room for an answer of this size; call it before its rows are read. */
  readonly makeRoom: (bytes: number) => Promise<void>
}

/** What a handler answers. Status 200 unless it says otherwise. */
export type { Answer }

/** Answers `{ data }`. */
export const withData = (data: unknown): Answer => ({ body: { data } })

/** Makes the answer `{ data }` of the result of an operation. */
export const presented =
  <Result>(present: (result: Result) => unknown, status = 200) =>
  (result: Result): Answer => ({ status, body: { data: present(result) } })

/** An answer as the OpenAPI document shows it. */
type AnswerDescription = {
  readonly description: string
  readonly schema: Joi.Schema
  /** Whether it carries the ETag of the object. */
  readonly hasEtag?: boolean
}

/** Bodies that succeed when they are sent, by a title that says what they show. */
export type Examples = Readonly<Record<string, object>>

/**
 * A route of the public API or of the console. `target` finds the object that the path names, before any
 * field is checked; it throws NOT_FOUND.
 */
export type ServedRoute<Query = unknown, Body = unknown, Target = unknown> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Joi.ObjectSchema<Query>
  /** Without it the route takes no body: it accepts nothing or `{}`. */
  readonly body?: Joi.Schema<Body>
  /** Whether an empty body counts as `{}`, as it does where the route takes no body. */
  readonly isBodyOptional?: boolean
  /** Recognises bodies that the schema passes unchanged, so that it need not run for them. */
  readonly isPlainBody?: (body: unknown) => boolean
  readonly target?: (request: Pick<ApiRequest, 'caller' | 'params'>) => Promise<Target>
  /** What it may cost at most; see COST_CLASSES. */
  readonly cost: CostClass
  /** The cost class of requests whose query has `q` or `record`. The limit of the answer's size stays that of `cost`. */
  readonly searchCost?: CostClass
  /** What it answers when it succeeds, by status. */
  readonly answers: Readonly<Record<number, { readonly schema: Joi.Schema }>>
  readonly handle: (request: ApiRequest<Query, Body, Target>) => Answer | Promise<Answer>
}

/** A route of the public API. The table of routes drives routing, the scope check, validation and the OpenAPI document. */
export type Route<Query = unknown, Body = unknown, Target = unknown> = ServedRoute<Query, Body, Target> & {
  /** The scope it requires; `any`: none; `any-write` where the body names the family (POST /api-v1-events). */
  readonly scope: Scope | 'any' | 'any-write'
  /** The scopes that the body needs. They are checked once it is read, before its fields. */
  readonly scopesOf?: (body: unknown) => readonly Scope[]
  readonly operationId: string
  readonly summary: string
  /** What else a caller should know. */
  readonly description?: string
  readonly examples?: Examples
  /** Whether the route reads If-Match. */
  readonly hasPrecondition?: boolean
  /** Statuses of refusals that other routes do not have. */
  readonly refusals?: readonly number[]
  readonly answers: Readonly<Record<number, AnswerDescription>>
}

/** A route without the types of its query, body and target, which defineRoute has checked. */
type Unchecked<Checked extends ServedRoute> = Omit<Checked, 'target' | 'handle' | 'query' | 'body'> & {
  readonly query?: Joi.ObjectSchema
  readonly body?: Joi.Schema
  readonly target?: (request: Pick<ApiRequest, 'caller' | 'params'>) => Promise<unknown>
  readonly handle: (request: never) => Answer | Promise<Answer>
}

export type AnyServedRoute = Unchecked<ServedRoute>

/** A route of the public API whose types were checked where it was defined. */
export type AnyRoute = Unchecked<Route>

/** Checks that the types of a route fit each other, then erases them, so that all routes fit into one table. */
export const defineRoute = <Query, Body, Target>(
  method: Route['method'],
  path: string,
  route: Omit<Route<Query, Body, Target>, 'method' | 'path'>,
): AnyRoute => ({ method, path, ...route })

/** A path and a method, and what serves them. */
export type Served = { readonly path: string; readonly method: string; readonly serve: Middleware }

/**
 * Calls what serves the path and the method of a request, or the next middleware when nothing serves the path.
 *
 * @throws ApiError METHOD_NOT_ALLOWED where the path is served, but not by this method
 */
export function dispatchTo(served: readonly Served[]): Middleware<State> {
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, method, serve } of served) router.register(path, [method], serve as never)
  const dispatch = router.routes() as unknown as Middleware<State>
  return async (ctx, next) => {
    await dispatch(ctx, async () => {
      // No route has this path, or none of the path has this method. In `matched` the router notes the routes of the path.
      const { matched } = ctx as unknown as { readonly matched: readonly { readonly methods: string[] }[] }
      if (matched.length === 0) {
        await next()
        return
      }
      const allow = [...new Set(matched.flatMap(({ methods }) => methods)), 'OPTIONS'].join(', ')
      if (ctx.method !== 'OPTIONS') throw methodNotAllowed(allow)
      ctx.set('Allow', allow)
      ctx.status = 204
    })
  }
}
