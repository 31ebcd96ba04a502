import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createApp } from './api/app.js'
import { rawAnswer } from './api/middleware/error-envelope.js'
import { createUsageRecorder } from './api/usage-recorder.js'
import { configOrExit, runProcess, stopSignal, waitFor } from './boot.js'
import { isAnswering } from './db/connection.js'
import { buildDeps, type Deps } from './deps.js'
import type { ErrorCode } from './domain/errors.js'
import { createReadiness } from './health.js'
import { createLog } from './log.js'
import { lazyTemporalClient } from './temporal.js'

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

const config = configOrExit()
const log = createLog('api', config.logLevel)

/** The API process: answers until it is told to stop, then finishes what it began. */
runProcess(log, async () => {
  const stopped = stopSignal()
  const temporal = lazyTemporalClient(config)
  const deps = buildDeps(config, 'api', temporal)
  await waitFor('the database', log, () => isAnswering(deps.db))
  const readiness = createReadiness({ database: () => isAnswering(deps.db) })
  const usage = createUsageRecorder(deps)
  const app = createApp(deps, { usage, readiness })
  const server = await listen(deps, app.callback())
  log.info({ host: config.host, port: config.port, tls: config.tls !== undefined }, 'api listens')

  await stopped
  readiness.drain()
  await close(server)
  await usage.stop()
  deps.doorbell.close()
  await deps.db.destroy()
  await temporal.connection.close()
})

async function listen(
  { config: { host, port, tls } }: Deps,
  callback: ReturnType<ReturnType<typeof createApp>['callback']>,
): Promise<Server> {
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node would answer a missing Host with an empty 400 of its own.
    requireHostHeader: false,
  }
  const handle = (request: Parameters<typeof callback>[0], response: Parameters<typeof callback>[1]) => {
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length === 1 || request.httpVersionMinor === 0) void callback(request, response)
    else request.socket.end(rawAnswer('VALIDATION_ERROR', 'A request needs exactly one Host header.'))
  }
  const server = tls
    ? createHttpsServer(
        {
          ...limits,
          cert: readFileSync(tls.certFile),
          key: readFileSync(tls.keyFile),
          minVersion: 'TLSv1.2',
        },
        handle,
      )
    : createHttpServer(limits, handle)
  server.on('clientError', answerClientError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

/** What Node refuses before a request exists: answered in the envelope, and the connection ends. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [code, message] = CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED
  socket.end(rawAnswer(code, message))
}

const MALFORMED: [ErrorCode, string] = ['VALIDATION_ERROR', 'The request is not valid HTTP.']

const CLIENT_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request took too long to arrive.'],
}

/** Lets running requests end, up to the grace, then closes what is left. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs)
  await closed
  clearTimeout(deadline)
}
