import { ApiError, ERROR_STATUS, invalidRequest, type ErrorCode } from '../domain/errors.ts'
import { startDeadline } from '../sending/deadline.ts'
import type { ListenSettings } from './command.ts'

/** An event as the feed shows it. */
export type FeedEvent = {
  readonly id: string
  readonly event: string
  readonly created_at: string
  readonly payload: object
}

type FeedRequest = { readonly after: string; readonly waitS: number; readonly stopped: AbortSignal }

/** What came of one request. */
export type FeedAnswer =
  | {
      readonly kind: 'read'
      /** undefined: nothing new. */
      readonly event: FeedEvent | undefined
      /** The place after the event. */
      readonly cursor: string
      readonly hasMore: boolean
    }
  /** Events after the cursor are gone. */
  | { readonly kind: 'expired'; readonly message: string }
  /** Ask again. `isUnreachable`: no answer came. */
  | {
      readonly kind: 'later'
      readonly why: string
      readonly isUnreachable: boolean
      /** What Retry-After asks for, in milliseconds; 0: nothing. */
      readonly waitMs: number
    }

/** How long an answer may take beyond the requested wait. No answer comes if the machine slept during the wait. */
const ANSWER_LIMIT_MS = 15_000
/** An event has 256 KiB at most. Its JSON in the answer may be longer, but never this long. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024
/** A longer Retry-After is shortened to this. */
const LONGEST_WAIT_MS = 3_600_000

/**
 * Asks for the next event after a place. Each request asks for only one event. So each event has a cursor of its own,
 * and a stop at any moment neither loses nor repeats an event.
 *
 * @param waitS how long the api waits for an event, 0 to 30 seconds
 * @throws ApiError for an error that would come again at every try: a wrong key, scope, cursor or address
 */
export async function readNext(
  { api, key, events }: Pick<ListenSettings, 'api' | 'key' | 'events'>,
  { after, waitS, stopped }: FeedRequest,
): Promise<FeedAnswer> {
  const query = new URLSearchParams({ after, limit: '1', wait: String(waitS) })
  if (events !== undefined) query.set('types', events)
  const deadline = startDeadline(waitS * 1_000 + ANSWER_LIMIT_MS, stopped)
  try {
    const headers = { authorization: `Bearer ${key}` }
    // Redirects are not followed: the key is for this address alone.
    const options = { headers, redirect: 'manual', signal: deadline.signal } as const
    const response = await fetch(`${api}/api-v1-events/feed?${query.toString()}`, options)
    return toAnswer(api, response, await readText(api, response))
  } catch (error) {
    if (error instanceof ApiError) throw error
    const why = deadline.signal.aborted ? 'no answer in time' : causeOf(error)
    return { kind: 'later', why, isUnreachable: true, waitMs: 0 }
  } finally {
    deadline.clear()
  }
}

/** Reads the body. @throws ApiError when it is longer than any answer of a feed */
async function readText(api: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > MOST_ANSWER_BYTES) throw notThisApi(api, 'answers without end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function toAnswer(api: string, { status, headers }: Response, text: string): FeedAnswer {
  const body = parse(text)
  if (status === 200) return toPart(api, body)
  const { code = '', message = '' } = body?.error ?? {}
  if (code === 'CURSOR_EXPIRED') return { kind: 'expired', message }
  if (status >= 500 || status === 429 || status === 408) {
    const why = code === '' ? `status ${status}` : `${status} ${code}`
    return { kind: 'later', why, isUnreachable: false, waitMs: waitOf(headers.get('retry-after')) }
  }
  if (Object.hasOwn(ERROR_STATUS, code)) throw new ApiError(code as ErrorCode, message)
  const location = headers.get('location')
  if (location !== null) throw invalidRequest(`${api} redirects to ${location}: check --api.`)
  throw notThisApi(api, `answers ${status}`)
}

type Body = {
  readonly data?: FeedEvent[]
  readonly pagination?: { readonly next_cursor?: string; readonly has_more?: boolean }
  readonly error?: { readonly code?: string; readonly message?: string }
}

/** undefined: no JSON object. */
function parse(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

function toPart(api: string, body: Body | undefined): FeedAnswer {
  const { next_cursor: cursor, has_more: hasMore = false } = body?.pagination ?? {}
  if (!Array.isArray(body?.data) || typeof cursor !== 'string')
    throw notThisApi(api, 'answers something else')
  return { kind: 'read', event: body.data[0], cursor, hasMore }
}

const notThisApi = (api: string, what: string): ApiError =>
  new ApiError('NOT_FOUND', `There is no feed of events at ${api}, which ${what}: check --api.`)

/** The wait in milliseconds. Our api sends Retry-After in whole seconds. */
const waitOf = (retryAfter: string | null): number =>
  retryAfter !== null && /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1_000, LONGEST_WAIT_MS) : 0

/** Why a fetch failed. The error says only that it failed; its cause says why. */
function causeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  const { code, message } = cause as { code?: string; message?: string }
  return code ?? message ?? String(cause)
}
