import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Registry } from 'prom-client'
import { isAnswering, isWritable } from '../db/connection/checks.ts'
import type { Db } from '../db/connection/connection.ts'
import { isMigrated } from '../db/schema.ts'
import type { DatabaseClock } from '../deps/database-clock.ts'
import { canonicalAddress } from '../domain/net/addresses.ts'
import { ApiError, methodNotAllowed } from '../domain/errors.ts'
import { refuseMetrics } from '../domain/net/metrics-access.ts'

/** One check for each part, by the part's name. A check returns whether the part works. */
export type Checks = Readonly<Record<string, () => Promise<boolean>>>

/** The checks of the database for /readyz. Every process that uses the database has them. */
export const databaseChecks = (db: Db, clock: Pick<DatabaseClock, 'isNear'>): Checks => ({
  database: () => isAnswering(db),
  database_writable: () => isWritable(db),
  migrations: () => isMigrated(db),
  clock: () => Promise.resolve(clock.isNear()),
})

export type Readiness = {
  /** `parts` says whether each part works, and has `draining`. `ready`: all parts work and `draining` is false. */
  check(): Promise<{ ready: boolean; parts: Record<string, boolean> }>
  /** Reports not ready from now on, so that a load balancer sends no more requests. */
  drain(): void
}

/** How many connections a worker's port takes at most: probes and Prometheus need only a few. RESERVED_FILES includes them. */
const MAXIMUM_CONNECTIONS = 32
/** How long the results of the checks are used again, so that many probes cause little load. */
const FRESH_MS = 1_000

export function createReadiness(checks: Checks): Readiness {
  let isDraining = false
  let latest: { atMs: number; parts: Promise<Record<string, boolean>> } | undefined

  async function runChecks(): Promise<Record<string, boolean>> {
    const entries = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await check().catch(() => false)] as const),
    )
    return Object.fromEntries(entries)
  }

  return {
    async check() {
      const nowMs = performance.now()
      if (!latest || nowMs - latest.atMs > FRESH_MS) latest = { atMs: nowMs, parts: runChecks() }
      const parts = { ...(await latest.parts), draining: isDraining }
      const isReady = Object.entries(parts).every(([name, value]) => (name === 'draining' ? !value : value))
      return { ready: isReady, parts }
    },
    drain() {
      isDraining = true
    },
  }
}

export type HealthAnswer = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export const HEALTH_PATHS = ['/healthz', '/readyz', '/metrics']

export type HealthRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Canonical address of the client. */
  readonly address: string
  /**
   * Whether nobody outside the operator's own network could read the request. Only then may it carry the metrics token.
   */
  readonly isConfidential: boolean
}

/** What /metrics shows: one registry, or several joined. */
export type ShownMetrics = Pick<Registry, 'contentType' | 'metrics'>

/** A proxy adds at least one of these headers, unless it is configured to add none. */
const PROXY_HEADER = /^(?:forwarded|via|x-forwarded-for|x-forwarded-host|x-forwarded-proto|x-real-ip)$/

/**
 * Answers /healthz (the process runs), /readyz (its parts answer) and /metrics (Prometheus text; refuseMetrics decides
 * who may read it). For these paths a method other than GET or HEAD gets a 405. Other paths get a 404.
 */
export async function answerHealth(
  { method, path, headers, ...client }: HealthRequest,
  parts: { readiness: Readiness; registry: ShownMetrics; metricsToken: string | undefined },
): Promise<HealthAnswer> {
  if (HEALTH_PATHS.includes(path) && method !== 'GET' && method !== 'HEAD') return NOT_ALLOWED
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' })
    case '/readyz': {
      const { ready, parts: states } = await parts.readiness.check()
      return json(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', parts: states })
    }
    case '/metrics': {
      const isForwarded = Object.keys(headers).some((name) => PROXY_HEADER.test(name))
      const asked = { ...client, isForwarded, authorization: headers.authorization ?? '' }
      const refusal = refuseMetrics(asked, parts.metricsToken)
      if (refusal) return envelope(refusal)
      return { status: 200, type: parts.registry.contentType, text: await parts.registry.metrics() }
    }
    default:
      return NOT_FOUND
  }
}

const json = (status: number, body: unknown): HealthAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})

const envelope = ({ status, code, message, headers }: ApiError): HealthAnswer => ({
  ...json(status, { error: { code, message } }),
  headers,
})

const NOT_FOUND = envelope(new ApiError('NOT_FOUND', 'Not found.'))
const NOT_ALLOWED = envelope(methodNotAllowed('GET, HEAD'))

/**
 * Starts the worker's own small HTTP server for the health paths; resolves once it listens. It has no TLS and trusts no
 * proxy. The metrics token comes here without encryption, so the operator must keep WORKER_HOST in a private network.
 */
export function startHealthServer(
  address: { host: string; port: number },
  parts: Parameters<typeof answerHealth>[1],
): Promise<Server> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const { method = 'GET', headers, socket } = request
    const address = canonicalAddress(socket.remoteAddress ?? '') ?? ''
    const asked = { method, path, headers, address, isConfidential: true }
    const answer = await answerHealth(asked, parts)
    response.writeHead(answer.status, {
      'content-type': answer.type,
      'x-content-type-options': 'nosniff',
      ...answer.headers,
    })
    response.end(method === 'HEAD' ? undefined : answer.text)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAXIMUM_CONNECTIONS
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => resolve(server))
  })
}
