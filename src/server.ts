import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp } from './api/app.ts'
import { createHttpServer, type HttpServer } from './api/edge/http-server.ts'
import { UsageRecorder } from './api/auth/usage-recorder.ts'
import { createConsole } from './console/mount.ts'
import { configOrExit, listenForStop, runProcess, waitForDatabase } from './process/boot.ts'
import { checkTlsFiles } from './config/files.ts'
import { isAnswering, isWritable } from './db/connection/connection.ts'
import { isMigrated } from './db/schema.ts'
import { compileRanges } from './domain/net/addresses.ts'
import { buildDeps, type Deps } from './process/deps.ts'
import { filesForWork, readFileLimit, RESERVED_FILES } from './process/file-limit.ts'
import { answerHealth, createReadiness } from './process/health.ts'
import { createLog } from './process/log.ts'
import { lazyTemporalClient } from './process/temporal/client.ts'

const config = configOrExit(checkTlsFiles)
const log = createLog('api', config.logLevel)

/** The API process: answers until it is told to stop, then finishes what it began. */
runProcess(log, async () => {
  const stop = listenForStop(log)
  const maxConnections = fitConnections()
  const temporal = lazyTemporalClient(config)
  const deps = buildDeps(config, 'api', temporal)
  await waitForDatabase(deps)
  stop.booted()
  const readiness = createReadiness({
    database: () => isAnswering(deps.db),
    database_writable: () => isWritable(deps.db),
    migrations: () => isMigrated(deps.db),
  })
  const usage = new UsageRecorder(deps)
  const parts = { readiness, registry: deps.metrics.registry, metricsToken: config.metricsToken }
  const app = createApp(deps, {
    usage,
    answerHealth: (request) => answerHealth(request, parts),
    createConsole: (routes, shared) => createConsole(deps, routes, shared),
  })
  const server = await listen(deps, app, maxConnections)
  log.info({ host: config.host, port: config.port, tls: config.tls !== undefined }, 'api listens')

  await stop.stopped
  readiness.drain()
  const { graceMs, reserveMs } = shareGrace(config.shutdownGraceMs)
  await server.stop(graceMs)
  await Promise.race([letGo(), delay(reserveMs)])

  async function letGo(): Promise<void> {
    await usage.stop()
    deps.doorbell.close()
    await Promise.all([deps.db.destroy(), deps.batchDb.destroy()])
    await temporal.connection.close()
  }
})

/** Requests have most of the grace period to end. The rest is kept for what must be written after them. */
function shareGrace(shutdownGraceMs: number): { graceMs: number; reserveMs: number } {
  const reserveMs = Math.min(2_000, shutdownGraceMs / 4)
  return { graceMs: shutdownGraceMs - reserveMs, reserveMs }
}

/** MAX_CONNECTIONS, or what the limit of open files leaves. With more, no file would be left to reach the database. */
function fitConnections(): number {
  const limit = readFileLimit()
  const files = filesForWork(limit)
  const { maxConnections } = config
  if (files >= maxConnections) return maxConnections
  log.warn(
    `the limit of open files (${limit}) leaves room for ${files} connections in place of the ${maxConnections} of MAX_CONNECTIONS: raise it to ${RESERVED_FILES + maxConnections} or more`,
  )
  return files
}

async function listen(
  deps: Deps,
  app: ReturnType<typeof createApp>,
  maxConnections: number,
): Promise<HttpServer> {
  const { host, port, tls, trustedProxies } = deps.config
  const http = createHttpServer(app.callback(), {
    tls,
    limits: {
      perProcess: maxConnections,
      // One address alone must not use up all connections.
      perAddress: Math.ceil(maxConnections / 4),
      isTrustedProxy: compileRanges(trustedProxies),
    },
    onCut: (reason) => deps.metrics.connectionsCut.inc({ reason }),
  })
  http.server.listen(port, host)
  await once(http.server, 'listening')
  return http
}
