// The endpoints of the benchmark, in a process of its own: node receiver.mjs <control port> <TLS port> <cert file> <key file>
import { readFileSync } from 'node:fs'
import { createServer } from 'node:tls'
import { BenchArrivals } from './arrivals.mjs'
import { serveCommands } from './commands.mjs'
import { MessageReader } from './messages.mjs'
import { sentAt } from './requests.mjs'

const [controlPort, port, certFile = '', keyFile = ''] = process.argv.slice(2)
const answerOf = (/** @type {string} */ status, /** @type {string} */ body) =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
const GOOD = answerOf('200 OK', '{"ok":true}')
const BAD = answerOf('500 Internal Server Error', '{"ok":false}')

/**
 * @typedef {'hang' | 'fail-first' | 'fail-fifth' | 'uncounted'} PathBehaviour hang: never answers; fail-first: 500 to the first
 *   request of each webhook-id; fail-fifth: the same for about every fifth of them; uncounted: 200, and no figure counts the request
 * @typedef {{ latencyMs?: number, behaviours?: Record<string, PathBehaviour> }} ReceiverPlan behaviours: by path; others
 *   answer 200 after the latency
 */

let arrivals = new BenchArrivals()
/** @type {Required<ReceiverPlan>} */
let plan = { latencyMs: 0, behaviours: {} }
/** @type {Set<string>} path and webhook-id of what was answered with 500 */
let failed = new Set()

/** @param {string} id whose last digits are hexadecimal and random @returns {boolean} of a fifth of all ids */
const isFifth = (id) => Number.parseInt(id.slice(-4), 16) % 5 === 0

/** @param {import('node:tls').TLSSocket} socket @param {string} head @param {Buffer} body */
function receive(socket, head, body) {
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'))
  const id = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? 'none'
  const behaviour = plan.behaviours[path]
  const failsFirst = behaviour === 'fail-first' || (behaviour === 'fail-fifth' && isFifth(id))
  const isGood = behaviour !== 'hang' && (!failsFirst || failed.size === failed.add(`${path} ${id}`).size)
  if (behaviour !== 'uncounted') arrivals.add({ path, id, sentAt: sentAt(body), isGood })
  if (behaviour === 'hang') return
  const answer = () => void (socket.writable && socket.write(isGood ? GOOD : BAD))
  if (plan.latencyMs > 0) setTimeout(answer, plan.latencyMs)
  else answer()
}

createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile), noDelay: true }, (socket) => {
  const reader = new MessageReader((head, body) => receive(socket, head, body))
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => reader.read(chunk))
}).listen(Number(port), '127.0.0.1')

serveCommands(Number(controlPort), {
  reset: (/** @type {ReceiverPlan} */ { latencyMs = 0, behaviours = {} }) => {
    arrivals = new BenchArrivals()
    plan = { latencyMs, behaviours }
    failed = new Set()
  },
  wait: (/** @type {{ delivered: number, timeoutMs: number }} */ wanted) => arrivals.wait(wanted),
  figures: () => arrivals.figures(),
  compare: (/** @type {{ ids: readonly string[], each: number }} */ accepted) => arrivals.compare(accepted),
})
