import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { FIXED_HEADERS } from '../domain/webhook/headers.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import { startDeadline } from '../sending/deadline.ts'
import { POST_LIMIT_MS, type ListenSettings } from './command.ts'
import type { FeedEvent } from './feed-client.ts'

/** What came of a post: the status of the answer, or why none came. */
export type Posted = {
  readonly status: number | null
  /** A code such as ECONNREFUSED, or `timeout`. */
  readonly error: string | null
  readonly durationMs: number
}

const MOST_ANSWER_BYTES = 65_536

/**
 * Posts an event as a delivery would: the same bytes and headers, signed now. Redirects are not followed. The status line
 * decides, even if the rest of the answer is cut off. At most 64 KiB of the answer are read.
 *
 * @param stopped cuts the post off
 */
export async function forward(
  { forwardTo, secret }: Pick<ListenSettings, 'forwardTo' | 'secret'>,
  { id, payload }: FeedEvent,
  stopped: AbortSignal,
): Promise<Posted> {
  // The same bytes as in a delivery: JSON.stringify also wrote the bytes of deliveries, so parsing and writing them
  // again changes nothing.
  const body = Buffer.from(JSON.stringify(payload))
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const headers = {
    host: forwardTo.host,
    connection: 'keep-alive',
    ...signatureHeaders({ secret, id, timestampSeconds, body }),
    ...FIXED_HEADERS,
    'content-length': String(body.length),
  }
  const deadline = startDeadline(POST_LIMIT_MS, stopped)
  try {
    const status = await post(forwardTo, headers, body, deadline.signal)
    return { status, error: null, durationMs: deadline.elapsedMs() }
  } catch (error) {
    const { code, name } = error as { code?: string; name: string }
    const reason = deadline.signal.aborted ? 'timeout' : (code ?? name)
    return { status: null, error: reason, durationMs: deadline.elapsedMs() }
  } finally {
    deadline.clear()
  }
}

async function post(url: URL, headers: Record<string, string>, body: Buffer, signal: AbortSignal) {
  // An agent for each post: a developer's server restarts often, and would leave dead connections in a pool.
  const [request, agent] =
    url.protocol === 'https:' ? [tlsRequest, new TlsAgent()] : [httpRequest, new Agent()]
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { method: 'POST', headers, agent, signal }, resolve)
        // Without a listener, Node would silently drop an answer with status 101, and the post would never end.
        .on('upgrade', (response, socket) => {
          socket.destroy()
          resolve(response)
        })
        .on('error', reject)
        .end(body)
    })
    await drain(response)
    return response.statusCode ?? 0
  } finally {
    agent.destroy()
  }
}

/** Reads the answer to its end, or to the limit. */
async function drain(response: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      if (bytes > MOST_ANSWER_BYTES) return
    }
  } catch {
    // A cut or stalled body changes nothing: the status is known.
  }
}
