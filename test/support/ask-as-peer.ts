import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { AppParts, createApp } from '../../src/api/app.ts'
import { answerHealth, createReadiness, HEALTH_PATHS } from '../../src/process/health.ts'
import { authWithoutUsage } from './auth-without-usage.ts'
import { testDeps } from './deps.ts'
import { listenOnLoopback } from './loopback.ts'
import type { useDatabase } from './database.ts'

/** What is said of the sockets in place of this machine's own loopback. */
export type Peer = { readonly remoteAddress: string; readonly encrypted?: boolean }

type DatabaseInUse = ReturnType<typeof useDatabase>

type Asked = {
  readonly peer: Peer
  readonly path: string
  readonly headers?: Record<string, string>
  readonly environment?: Record<string, string>
}

/** As built: the app finds the files of its documentation by import.meta, which does not survive the loader of tests. */
const BUILT_APP = new URL('../../src/api/app.ts', import.meta.url).href

type App = ReturnType<typeof createApp>

const apps = new Map<string, Promise<App>>()

async function buildApp(database: DatabaseInUse, environment: Asked['environment']): Promise<App> {
  const deps = testDeps(database, environment)
  const built = (await import(BUILT_APP)) as { createApp: typeof createApp }
  const { metrics, config } = deps
  const parts = {
    readiness: createReadiness({}),
    registry: metrics.registry,
    metricsToken: config.metricsToken,
  }
  const createConsole: AppParts['createConsole'] = () => (_ctx, next) => next()
  return built.createApp(deps, {
    auth: authWithoutUsage(deps),
    createConsole,
    health: { paths: HEALTH_PATHS, answer: (request) => answerHealth(request, parts) },
  })
}

/** Sends one GET to the whole app as if it came from the peer. An app is built once for each environment. */
export async function askAppAs(database: DatabaseInUse, asked: Asked): Promise<Response> {
  const name = JSON.stringify([database.url, asked.environment])
  const app = apps.get(name) ?? buildApp(database, asked.environment)
  apps.set(name, app)
  const server = createServer((await app).callback())
  return askAs(server, asked)
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
