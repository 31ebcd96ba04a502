import type { Server } from 'node:http'
import { createApp } from './api/app.js'
import { createHttpServer } from './api/http-server.js'
import { createUsageRecorder } from './api/usage-recorder.js'
import { configOrExit, listenForStop, runProcess, waitForDatabase } from './boot.js'
import { checkTlsFiles } from './config-files.js'
import { isAnswering } from './db/connection.js'
import { isMigrated } from './db/schema.js'
import { buildDeps, type Deps } from './deps.js'
import { createReadiness } from './health.js'
import { createLog } from './log.js'
import { lazyTemporalClient } from './temporal.js'

const config = configOrExit(checkTlsFiles)
const log = createLog('api', config.logLevel)

/** The API process: answers until it is told to stop, then finishes what it began. */
runProcess(log, async () => {
  const stop = listenForStop(log)
  const temporal = lazyTemporalClient(config)
  const deps = buildDeps(config, 'api', temporal)
  await waitForDatabase(deps.db, config, log)
  stop.booted()
  const readiness = createReadiness({
    database: () => isAnswering(deps.db),
    migrations: () => isMigrated(deps.db),
  })
  const usage = createUsageRecorder(deps)
  const app = createApp(deps, { usage, readiness })
  const server = await listen(deps, app)
  log.info({ host: config.host, port: config.port, tls: config.tls !== undefined }, 'api listens')

  await stop.stopped
  readiness.drain()
  await close(server)
  await usage.stop()
  deps.doorbell.close()
  await deps.db.destroy()
  await temporal.connection.close()
})

async function listen(deps: Deps, app: ReturnType<typeof createApp>): Promise<Server> {
  const { host, port, tls } = deps.config
  const server = createHttpServer(app.callback(), tls)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

/** Lets running requests end, up to the grace, then closes what is left. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs)
  await closed
  clearTimeout(deadline)
}
