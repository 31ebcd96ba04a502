import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { createApp } from '../../src/api/app.ts'
import { answerHealth, createReadiness, HEALTH_PATHS } from '../../src/process/health.ts'
import { authWithoutUsage } from './auth-without-usage.ts'
import { testDeps } from './deps.ts'
import { listenOnLoopback } from './loopback.ts'
import type { useDatabase } from './database.ts'

/** What is said of the sockets in place of this machine's own loopback. */
export type Peer = { readonly remoteAddress: string; readonly encrypted?: boolean }

type Asked = {
  readonly peer: Peer
  readonly path: string
  readonly headers?: Record<string, string>
  readonly environment?: Record<string, string>
}

const apps = new Map<string, ReturnType<typeof createApp>>()

function buildApp(database: ReturnType<typeof useDatabase>, environment: Asked['environment']) {
  const deps = testDeps(database, environment)
  const { metrics, config } = deps
  const parts = {
    readiness: createReadiness({}),
    registry: metrics.registry,
    metricsToken: config.metricsToken,
  }
  return createApp(deps, {
    auth: authWithoutUsage(deps),
    createConsole: () => (_ctx, next) => next(),
    health: { paths: HEALTH_PATHS, answer: (request) => answerHealth(request, parts) },
  })
}

/** Sends one GET to the whole app as if it came from the peer. An app is built once for each environment. */
export function askAppAs(database: ReturnType<typeof useDatabase>, asked: Asked): Promise<Response> {
  const name = JSON.stringify([database.url, asked.environment])
  const app = apps.get(name) ?? buildApp(database, asked.environment)
  apps.set(name, app)
  return askAs(createServer(app.callback()), asked)
}

/** Sends one GET to a server on loopback as if it came from the peer, and closes the server. */
export async function askAs(server: Server, { peer, path, headers = {} }: Asked): Promise<Response> {
  server.on('connection', (socket: Socket) => {
    for (const [name, value] of Object.entries(peer)) Object.defineProperty(socket, name, { value })
  })
  const { url } = await listenOnLoopback(server)
  const response = await fetch(`${url}${path}`, { headers })
  const body = await response.arrayBuffer()
  server.close()
  server.closeAllConnections()
  return new Response(body, response)
}

/** `200`, or `400 INVALID_REQUEST Use HTTPS.` and the like. */
export async function verdictOf(response: Response): Promise<string> {
  const text = await response.text()
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    error?: { code: string; message: string }
  }
  return error ? `${response.status} ${error.code} ${error.message}` : String(response.status)
}
