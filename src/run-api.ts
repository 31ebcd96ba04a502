import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApp } from './api/app.ts'
import { listenForEvents } from './api/feed-bell.ts'
import { createHttpServer, type HttpServer } from './api/edge/http-server.ts'
import { createAuthParts } from './api/auth/authenticate.ts'
import { createConsole } from './console/mount.ts'
import { createSignInParts } from './console/address-route.ts'
import type { Config } from './config/index.ts'
import { compileRanges } from './domain/net/addresses.ts'
import { within } from './domain/within.ts'
import { waitForDatabase, type RunOptions } from './process/boot.ts'
import { databaseChecks, answerHealth, createReadiness, HEALTH_PATHS } from './process/health.ts'
import { buildDeps, closeDatabase, type Deps } from './deps/deps.ts'
import { withTraces } from './deps/traces.ts'
import { filesForWork, readFileLimit, RESERVED_FILES } from './process/limits.ts'
import type { Log } from './deps/log.ts'
import { lazyTemporalClient } from './process/temporal/client.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Runs the api in this process: resolves once it listens. */
export async function runApi({ config, log, onBooted = () => undefined, buildDir = HERE }: RunOptions) {
  const maxConnections = fitConnections(config, log)
  const temporal = lazyTemporalClient(config)
  const systemDeps = await withTraces(buildDeps(config, 'api', temporal, log), 'api', randomUUID())
  const deps: Deps = systemDeps
  await waitForDatabase(systemDeps)
  await systemDeps.databaseClock.start()
  onBooted()
  const readiness = createReadiness(databaseChecks(deps.db, systemDeps.databaseClock))
  const auth = createAuthParts(systemDeps)
  const signInParts = createSignInParts(systemDeps)
  const parts = { readiness, registry: deps.metrics.registry, metricsToken: config.metricsToken }
  const feed = await listenForEvents(deps)
  const app = createApp(deps, {
    auth,
    feedReaders: feed.readers,
    health: { paths: HEALTH_PATHS, answer: (request) => answerHealth(request, parts) },
    descriptionFile: path.join(buildDir, 'openapi.json'),
    createConsole: (routes, shared) =>
      createConsole(deps, signInParts, routes, shared, path.join(buildDir, 'console')),
  })
  const server = await listen(deps, app, maxConnections)
  log.info({ host: config.host, port: config.port, tls: config.tls !== undefined }, 'api listens')

  return {
    /** Lets the requests under way end within the grace period, and closes everything that was opened. */
    async stop(): Promise<void> {
      readiness.drain()
      const readersLeft = feed.stop()
      const { graceMs, reserveMs } = shareGrace(config.shutdownGraceMs)
      await server.stop(graceMs)
      await within(reserveMs, readersLeft.then(closeAll), () => undefined)
    },
  }

  async function closeAll(): Promise<void> {
    systemDeps.databaseClock.stop()
    await auth.usage.stop()
    deps.doorbell.close()
    deps.feedBell.close()
    await deps.traces?.stop()
    await closeDatabase(deps)
    await temporal.connection.close()
  }
}

/** Divides the grace period. Requests get most of it to end. The rest is for the writes after the last request. */
function shareGrace(shutdownGraceMs: number): { graceMs: number; reserveMs: number } {
  const reserveMs = Math.min(2_000, shutdownGraceMs / 4)
  return { graceMs: shutdownGraceMs - reserveMs, reserveMs }
}

/**
 * Returns MAX_CONNECTIONS, or fewer if the limit of open files demands it. With more connections, no file would be left
 * to reach the database.
 */
function fitConnections({ maxConnections }: Config, log: Log): number {
  const limit = readFileLimit()
  const files = filesForWork(limit)
  if (files >= maxConnections) return maxConnections
  log.warn(
    `the limit of open files (${limit}) leaves room for ${files} connections in place of the ${maxConnections} of MAX_CONNECTIONS: raise it to ${RESERVED_FILES + maxConnections} or more`,
  )
  return files
}

async function listen(
  { config, log, metrics }: Deps,
  app: ReturnType<typeof createApp>,
  maxConnections: number,
): Promise<HttpServer> {
  const { host, port, tls, trustedProxies } = config
  const http = createHttpServer(app.callback(), {
    tls,
    limits: {
      perProcess: maxConnections,
      // One address alone must not use up all connections.
      perAddress: Math.ceil(maxConnections / 4),
      isTrustedProxy: compileRanges(trustedProxies),
    },
    onCut: (reason) => metrics.connectionsCut.inc({ reason }),
    onCertificate(error) {
      if (error === undefined) log.info('the certificate has changed and is loaded')
      else log.warn({ err: error }, 'the changed certificate cannot be used; the one before stays')
    },
  })
  http.server.listen(port, host)
  await once(http.server, 'listening')
  return http
}
