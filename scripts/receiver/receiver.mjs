import { createServer } from 'node:https'
import { Arrivals } from './arrivals.mjs'
import { answer, statusFor } from './behaviours.mjs'
import { makeCertificate } from './certificate.mjs'
import { CONTROL_PATH, control } from './control.mjs'
import { createPaths } from './paths.mjs'

const DEFAULT_TIMEOUT_MS = 10_000

/** @type {typeof import('./receiver.d.mts').createReceiver} receiver.d.mts describes everything */
export async function createReceiver(options = {}) {
  const { port = 0, host = '127.0.0.1', key, cert, onRequest, isKept = true, ...rules } = options
  const certificate = key !== undefined && cert !== undefined ? { key, cert } : await makeCertificate()
  const arrivals = new Arrivals()
  const paths = createPaths(rules)
  const connections = numberConnections()

  const server = createServer(
    { ...certificate, requestTimeout: 0, keepAliveTimeout: 60_000 },
    async (request, response) => {
      const receivedAt = new Date()
      const body = await readBody(request)
      if (body === undefined) return
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
      if (path === CONTROL_PATH) return control(receiver, body, response)
      const { behaviour, number } = paths.arrive(path, request.headers)
      const received = {
        method: request.method ?? '',
        path,
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body,
        receivedAt,
        connectionId: connections.idOf(request.socket),
        status: statusFor(behaviour, number),
        isCut: behaviour.reset === true,
        verified: await paths.verify(path, request.headers, body),
      }
      if (isKept) arrivals.add(received)
      onRequest?.(received)
      await answer(behaviour, received.status, response)
    },
  )
  server.on('secureConnection', connections.add)
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(undefined))
  })
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())

  /** @type {import('./receiver.d.mts').Receiver} */
  const receiver = {
    port: address.port,
    caPem: certificate.cert,
    url: (path, hostname = '127.0.0.1') => `https://${hostname}:${address.port}${path}`,
    behave: paths.behave,
    trust: paths.trust,
    distrust: paths.distrust,
    requestsTo: (path) => arrivals.to(path),
    next: (path, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}) => arrivals.next(path, timeoutMs),
    waitFor: (path, count, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}) =>
      arrivals.atLeast(path, count, timeoutMs),
    openConnections: connections.count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        connections.destroyAll()
      }),
  }
  return receiver
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<Buffer | undefined>} undefined when cut off */
async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}

/** Numbers the connections and can cut them, hung ones too. */
function numberConnections() {
  /** @type {Map<import('node:net').Socket, number>} */
  const open = new Map()
  let last = 0
  return {
    add(socket) {
      open.set(socket, ++last)
      socket.once('close', () => open.delete(socket))
    },
    idOf: (socket) => open.get(socket) ?? 0,
    count: () => open.size,
    destroyAll: () => open.forEach((_id, socket) => socket.destroy()),
  }
}
