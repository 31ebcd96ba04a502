import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from './certificate.ts'
import { Paths } from './paths.ts'

/** What a path does with a request, after `delayMs`; without any, it answers 200 {"ok":true}. */
export type Behaviour = {
  /** Default 200, 302 with `redirect`, 500 with `failTimes`. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
  /** The first n requests get `status`, the later ones 200. */
  readonly failTimes?: number
  /** With failTimes: counts the requests of each value of this header apart. */
  readonly countBy?: 'webhook-id'
  /** Accept the request and never answer. */
  readonly hang?: boolean
  /** Answer with this location. */
  readonly redirect?: string
  /** Close the connection without an answer. */
  readonly reset?: boolean
}

export type ReceivedRequest = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Path and query as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly receivedAt: Date
  /** Whether the Standard Webhooks signature is right; undefined when the path has no trusted secret. */
  readonly verified: boolean | undefined
  /** The status of its answer; undefined when it never gets a final one. */
  readonly status: number | undefined
  /** Whether its connection is closed without an answer. */
  readonly isCut: boolean
}

export type ReceiverOptions = {
  /** Of 127.0.0.1; any free one by default. */
  readonly port?: number
  /** PEM; both or neither, by default a new self-signed certificate for localhost, 127.0.0.1 and ::1. */
  readonly key?: string
  readonly cert?: string
  /** How a path behaves before its first `behave`; undefined is the default behaviour. */
  readonly behaviourOf?: (path: string) => Behaviour | undefined
  /** Secrets that a path trusts besides those of `trust`. */
  readonly secretsOf?: (path: string) => Promise<readonly string[]>
  /** Called for every request once its body is there. */
  readonly onRequest?: (request: ReceivedRequest) => void
  /** false: requests only go to `onRequest`, so that a long run does not fill the memory. Default true. */
  readonly isKept?: boolean
}

export type Receiver = Awaited<ReturnType<typeof createReceiver>>

/** The only path that is no endpoint. Requests to it set how the other paths behave. */
const CONTROL_PATH = '/_control'

/**
 * Starts an HTTPS endpoint that records what it gets, checks signatures and behaves as `behave` says. Behaviour and secrets
 * can be set over HTTP as well: POST /_control with {path, behaviour?, secret?}; the answer lists what arrived at the path so far.
 */
export async function createReceiver(options: ReceiverOptions = {}) {
  const { port: wanted = 0, key, cert, onRequest, isKept = true, ...rules } = options
  const certificate = key !== undefined && cert !== undefined ? { key, cert } : await makeCertificate()
  const paths = new Paths(rules)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = new Date()
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return // it was cut off
    const { method = '', url = '/', headers, rawHeaders } = request
    const path = url.split('?', 1)[0]!
    if (path === CONTROL_PATH) return answer(response, control(body, paths))
    const { behaviour, number } = paths.arrive(path, headers)
    const status = statusFor(behaviour, number)
    const verified = await paths.verify(path, headers, body)
    const isCut = behaviour.reset === true
    const received = { method, path, url, headers, rawHeaders, body, receivedAt, status, isCut, verified }
    if (isKept) paths.add(received)
    onRequest?.(received)
    await answer(response, behaviour, status)
  }
  const settings = { ...certificate, requestTimeout: 0, keepAliveTimeout: 60_000 }
  const server = createServer(settings, (request, response) => void serve(request, response))
  await once(server.listen(wanted, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo

  return Object.assign(paths, {
    port,
    /** What a client has to trust. */
    caPem: certificate.cert,
    url: (path: string) => `https://127.0.0.1:${port}${path}`,
    /** Ends at once, cutting every connection. */
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  })
}

/** The status that the nth request since the latest `behave` gets; undefined when no final status is ever sent. */
function statusFor({ hang, reset, redirect, failTimes, status }: Behaviour, n: number): number | undefined {
  if (hang || reset) return undefined
  if (redirect !== undefined) return status ?? 302
  if (failTimes === undefined) return status ?? 200
  return n <= failTimes ? (status ?? 500) : 200
}

/** Answers a request as its path behaves. `status`: from statusFor. */
async function answer(response: ServerResponse, behaviour: Behaviour, status = behaviour.status ?? 200) {
  const { delayMs, hang, reset, redirect, headers, body = '{"ok":true}' } = behaviour
  if (delayMs !== undefined) await sleep(delayMs, undefined, { ref: false })
  if (response.destroyed || hang) return
  if (reset) return void response.socket?.destroy()
  const location = redirect === undefined ? {} : { location: redirect }
  response.writeHead(status, { 'content-type': 'application/json', ...location, ...headers }).end(body)
}

/** Carries out an order to CONTROL_PATH. @returns the answer: 200, or 400 with what is wrong */
function control(order: Buffer, paths: Paths): { status: number; body: string } {
  try {
    type Order = { path?: string; behaviour?: Behaviour; secret?: string }
    const { path, behaviour, secret } = JSON.parse(order.toString()) as Order
    if (!path?.startsWith('/')) throw new Error('path must be a string that starts with /')
    if (secret !== undefined) paths.trust(path, secret)
    if (behaviour !== undefined) paths.behave(path, behaviour)
    const requests = paths.requestsTo(path).map(({ headers, verified, status, receivedAt }) => ({
      webhook_id: headers['webhook-id'],
      verified,
      status,
      received_at: receivedAt,
    }))
    return { status: 200, body: JSON.stringify({ requests }) }
  } catch (error) {
    return { status: 400, body: JSON.stringify({ error: (error as Error).message }) }
  }
}
