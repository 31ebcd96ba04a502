import Router from '@koa/router'
import type Joi from 'joi'
import type { Middleware } from 'koa'
import { methodNotAllowed } from '../../domain/errors.ts'
import type { Scope } from '../../domain/key/scopes.ts'
import type { CostClass } from '../../operations/cost-limits.ts'
import type { Answer, AnswerToKeep } from '../../operations/idempotency.ts'
import type { Caller, Quota, State } from '../auth/caller.ts'

/** What a handler gets. Everything in it is checked. */
export type ApiRequest<Query = unknown, Body = unknown, Target = unknown> = {
  readonly caller: Caller
  readonly arrivedAt: Date
  /** What is left of the caller's rate limit; undefined if there is no limit. */
  readonly quota: Quota | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The object that the route's `target` found. */
  readonly target: Target
  /** The traceparent of the request's span. If this process sends no traces, the traceparent that the caller sent. */
  readonly traceparent: string | undefined
  /** A request header; undefined when absent. */
  readonly header: (name: string) => string | undefined
  /**
   * Runs an operation that is one transaction, and answers with its result. If the caller sent an Idempotency-Key, the
   * operation stores the answer under it.
   */
  readonly answerOnce: <Result>(
    toAnswer: (result: Result) => Answer,
    operation: (kept: AnswerToKeep<Result>) => Promise<Result>,
  ) => Promise<Answer>
  /** Checks the caller's key and its scope again, for a route that has waited. @throws the refusal */
  readonly recheck: () => Promise<void>
  /** Calls the listener when the answer is sent, or the client is gone. */
  readonly onGone: (listener: () => void) => void
  /** Waits until there is room for an answer of this size. Call it before the rows of the answer are read. */
  readonly makeRoom: (bytes: number) => Promise<void>
}

/** The answer of a handler. The status is 200 unless it is given. */
export type { Answer }

/** Answers `{ data }`. */
export const withData = (data: unknown): Answer => ({ body: { data } })

/** Makes the answer `{ data }` from the result of an operation. */
export const presented =
  <Result>(present: (result: Result) => unknown, status = 200) =>
  (result: Result): Answer => ({ status, body: { data: present(result) } })

/** An answer as the OpenAPI document shows it. */
type AnswerDescription = {
  readonly description: string
  readonly schema: Joi.Schema
  /** Whether the answer carries the ETag of the object. */
  readonly hasEtag?: boolean
}

/** Example bodies by their titles. A title says what its body shows. Every body succeeds when it is sent. */
export type Examples = Readonly<Record<string, object>>

/**
 * A route of the public API or of the console. `target` finds the object that the path names, before any field is checked.
 * It throws NOT_FOUND.
 */
export type ServedRoute<Query = unknown, Body = unknown, Target = unknown> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Joi.ObjectSchema<Query>
  /** The schema of the body. Without it the route takes no body: it accepts nothing or `{}`. */
  readonly body?: Joi.Schema<Body>
  /** Whether an empty body counts as `{}`. A route without `body` always does so. */
  readonly isBodyOptional?: boolean
  /** True for bodies that the schema would pass unchanged. The schema does not run for these. */
  readonly isPlainBody?: (body: unknown) => boolean
  readonly target?: (request: Pick<ApiRequest, 'caller' | 'params'>) => Promise<Target>
  /** The cost class of its requests; see COST_CLASSES. */
  readonly cost: CostClass
  /** The cost class of requests whose query has `q` or `record`. The class in `cost` still limits the answer's size. */
  readonly searchCost?: CostClass
  /** Its successful answers, by status. */
  readonly answers: Readonly<Record<number, { readonly schema: Joi.Schema }>>
  readonly handle: (request: ApiRequest<Query, Body, Target>) => Answer | Promise<Answer>
}

/** A route of the public API. The table of routes drives routing, the scope check, validation and the OpenAPI document. */
export type Route<Query = unknown, Body = unknown, Target = unknown> = ServedRoute<Query, Body, Target> & {
  /** `any`: no scope is required. `any-write`: at least one write scope; `scopesOf` returns those that a body needs. */
  readonly scope: Scope | 'any' | 'any-write'
  /** The scopes that the body requires. They are checked once the body is read, before its fields. */
  readonly scopesOf?: (body: unknown) => readonly Scope[]
  readonly operationId: string
  readonly summary: string
  /** Further notes for callers. */
  readonly description?: string
  readonly examples?: Examples
  /** Whether the route reads If-Match. */
  readonly hasPrecondition?: boolean
  /** The statuses of refusals that only this route has. */
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

/** A path and a method, and the middleware that serves them. */
export type Served = { readonly path: string; readonly method: string; readonly serve: Middleware }

/**
 * Calls the middleware for the path and the method of a request. If no route has the path, calls the next middleware.
 * Answers OPTIONS with 204 and the header Allow.
 *
 * @throws ApiError METHOD_NOT_ALLOWED when routes have the path, but none has the method, and the method is not OPTIONS
 */
export function dispatchTo(served: readonly Served[]): Middleware<State> {
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, method, serve } of served) router.register(path, [method], serve as never)
  const dispatch = router.routes() as unknown as Middleware<State>
  return async (ctx, next) => {
    await dispatch(ctx, async () => {
      // Runs if no route has the path, or no route of the path has the method. `matched` has the routes of the path.
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
