import type { Context, Middleware } from 'koa'
import { ApiError, invalid } from '../../domain/errors.ts'
import { answerWithBytes } from '../edge/unread-answers.ts'
import type { AnswerBudget } from '../edge/answer-budget.ts'
import type { Caller, State } from '../auth/caller.ts'
import { toJsonInSlices } from '../../presenters/stored-json.ts'
import type { Rest } from '../../operations/concurrency-limit.ts'
import { COST_CLASSES, type CostClass, type CostLimits } from '../../operations/cost-limits.ts'
import { validTraceparent } from '../../deps/traces.ts'
import { checkFields } from '../../domain/fields/rules.ts'
import { readBody, readOptionalBody } from '../middleware/read-body.ts'
import type { Idempotency } from './idempotency.ts'
import type { AnyServedRoute, ApiRequest } from './route.ts'
import { StreamedAnswer } from './streamed-answer.ts'
import { noBody } from '../schemas/common.ts'

/** The context of a request whose path may have parameters. */
export type RouteContext = Context & { state: State; params: Record<string, string> }

/** The part of joi's own description that names the keys of an object. */
type Described = { readonly keys?: Record<string, unknown> }

/** The checks whether the caller may call the route. Each throws the refusal. */
export type RouteAdmission = {
  /**
   * Checks whether scope or role permit the route. Called first. A route that has waited calls it again, with the
   * caller as it is then.
   */
  readonly permit: (ctx: Context, caller: Caller) => void | Promise<void>
  /** The checks after `permit`. Called once, before the body is read. */
  readonly admit: (ctx: Context, caller: Caller) => void | Promise<void>
  /** Called when the body is read, before its fields are checked. */
  readonly admitBody?: (caller: Caller, rawBody: unknown) => void
  /** Callers of the same group share the limits of the route's cost class. */
  readonly groupOf: (caller: Caller) => string
}

/** The parts that all routes of the public API and of the console share. */
export type RouteParts = {
  readonly idempotency: Idempotency
  readonly costLimits: CostLimits
  /** Applies the limits of a cost class to a request without a caller. Requests of the same address share the limits. */
  readonly limitByAddress: (cost: CostClass, ctx: Context, work: (rest: Rest) => unknown) => Promise<void>
  readonly answerBudget: AnswerBudget
}

/**
 * Turns a route of the table into middleware. Its steps follow the second half of domain/key/check-order: first the
 * admission (scope and rate), then body, object, fields, state.
 */
export function serveRoute(
  route: AnyServedRoute,
  { permit, admit, admitBody, groupOf }: RouteAdmission,
  { idempotency, costLimits, answerBudget }: RouteParts,
): Middleware {
  const queryNames = new Set(Object.keys((route.query?.describe() as Described | undefined)?.keys ?? {}))
  return async (context) => {
    const ctx = context as unknown as RouteContext
    ctx.state.route = route.path
    const { caller } = ctx.state
    if (!caller) throw new Error('a route was reached without authentication')
    await permit(ctx, caller)
    await admit(ctx, caller)
    const rawBody = await (route.body && !route.isBodyOptional ? readBody(ctx) : readOptionalBody(ctx))
    admitBody?.(caller, rawBody)
    const within = <T>(work: (rest: Rest) => Promise<T>) =>
      costLimits.run(costOf(route, ctx), groupOf(caller), work)
    const body = await within((rest) => answer(ctx, caller, rawBody, rest))
    if (body instanceof StreamedAnswer) {
      body.sendTo(ctx, within)
      return
    }
    ctx.type = 'json'
    answerWithBytes(ctx, body)
  }

  async function answer(
    ctx: RouteContext,
    caller: Caller,
    rawBody: unknown,
    rest: Rest,
  ): Promise<Buffer | StreamedAnswer> {
    const params = ctx.params
    const target = await route.target?.({ caller, params })
    const request: Omit<ApiRequest, 'answerOnce' | 'makeRoom'> = {
      caller,
      arrivedAt: ctx.state.arrivedAt,
      quota: ctx.state.quota,
      params,
      target,
      query: checkQuery(route, queryNames, ctx),
      body: route.isPlainBody?.(rawBody) ? rawBody : checkFields(route.body ?? noBody, rawBody),
      traceparent: ctx.state.traceparent ?? validTraceparent(ctx.get('traceparent')),
      header: (name) => ctx.req.headers[name.toLowerCase()]?.toString(),
      recheck: async () => {
        const callerNow = await ctx.state.recheck?.()
        if (callerNow) await permit(ctx, callerNow)
      },
      onGone: (listener) => void ctx.res.once('close', listener),
    }
    // The rest of the request was malformed, so the request has been refused. Do not carry it out.
    if (ctx.res.writableEnded) throw invalid('The request is not valid HTTP.')
    let streamed: StreamedAnswer | undefined
    const bytes = await answerBudget.serve(caller.tenant, ctx.res, rest, async (makeRoomFor) => {
      const makeRoom = (bytes: number) => {
        checkSize(route.cost, bytes)
        return makeRoomFor(bytes)
      }
      const answer = await idempotency(
        ctx,
        caller,
        hasFields(rawBody) ? rawBody : undefined,
        async (hold) => {
          const answerOnce: ApiRequest['answerOnce'] = async (toAnswer, operation) =>
            toAnswer(await operation({ hold, toAnswer }))
          return route.handle({ ...request, answerOnce, makeRoom } as never)
        },
      )
      ctx.status = answer.status ?? 200
      if (answer.headers) ctx.set(answer.headers)
      if (!(answer.body instanceof StreamedAnswer)) return toJsonInSlices(answer.body)
      streamed = answer.body
      return Buffer.alloc(0)
    })
    return streamed ?? bytes
  }
}

/** The cost class of a request. */
export function costOf(
  { cost, searchCost }: Pick<AnyServedRoute, 'cost' | 'searchCost'>,
  ctx: Context,
): CostClass {
  if (searchCost === undefined) return cost
  const query = new URLSearchParams(ctx.querystring)
  return query.has('q') || query.has('record') ? searchCost : cost
}

/** An empty body and `{}` are the same request under an Idempotency-Key. */
const hasFields = (body: unknown): boolean => Object.keys(body as object).length > 0

/** Refuses an answer that is larger than its cost class allows. @throws ApiError INVALID_REQUEST */
function checkSize(cost: CostClass, bytes: number): void {
  const most = COST_CLASSES[cost].bytes
  if (bytes <= most) return
  const mib = Math.floor(most / (1024 * 1024))
  throw new ApiError('INVALID_REQUEST', `The answer would have more than ${mib} MiB: ask for less at once.`)
}

/** Refuses unknown and repeated names. Otherwise a misspelt filter would return the unfiltered list. */
function checkQuery(route: AnyServedRoute, names: ReadonlySet<string>, ctx: Context): unknown {
  const given = new URLSearchParams(ctx.querystring)
  const query: Record<string, string> = {}
  for (const [name, value] of given) {
    if (Object.hasOwn(query, name)) {
      throw invalid(`The query parameter ${shown(name)} is given more than once.`)
    }
    if (!names.has(name)) throw unknownQuery(name)
    query[name] = value
  }
  return route.query ? checkFields(route.query, query) : {}
}

const unknownQuery = (name: string) => invalid(`The query parameter ${shown(name)} is not known.`)

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))
