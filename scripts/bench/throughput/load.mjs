// Publishes events as it is told, in a process of its own: node load.mjs <control port> <api port> <keys, separated by commas>
import { steadySeconds } from './clock.mjs'
import { serveCommands } from './commands.mjs'
import { LoadConnection } from './load-connection.mjs'
import { keepRate } from './pace.mjs'
import { PublishRequest } from './requests.mjs'
import { AnswerTally } from './tally.mjs'

const [controlPort, apiPort, keyList = ''] = process.argv.slice(2)
/** They take turns, because the service may limit the requests of each. */
const keys = keyList.split(',')
const host = `127.0.0.1:${apiPort}`
/** Connections of an open loop: enough that a due request waits only when the api is far behind. */
const OPEN_LOOP_CONNECTIONS = 128

/**
 * @typedef {object} Load
 * @property {readonly string[]} types event types, which the requests take in turns
 * @property {number} eventBytes of an event in the request
 * @property {number} seconds the latest time to begin a request; in an open loop how long it publishes
 * @property {number} [port] where to publish; by default the api
 * @typedef {Load & { connections: number, batch?: number, count?: number }} ClosedLoad count: events, at most
 * @typedef {Load & { perSecond: number }} OpenLoad
 * @typedef {ReturnType<AnswerTally['result']> & { startedAt: number, endedAt: number }} LoadResult times: steady clock
 */

/** The requests that a connection sends, one for each event type, or a batch of all of them in turns. */
function requestsFor({ types, eventBytes, batch = 1 }) {
  const build = (/** @type {readonly string[]} */ wanted, turn = 0) =>
    new PublishRequest({
      host,
      key: keys[turn % keys.length] ?? '',
      types: wanted,
      eventBytes,
      isBatch: batch > 1,
    })
  if (batch > 1) return [build(Array.from({ length: batch }, (_, n) => types[n % types.length]))]
  return types.map((type, turn) => build([type], turn))
}

/** Each connection sends its next request when the former one is answered. @param {ClosedLoad} load @returns {Promise<LoadResult>} */
async function closedLoop(load) {
  const { connections, seconds, count = Infinity } = load
  const tally = new AnswerTally()
  const startedAt = steadySeconds()
  let left = count
  const run = (/** @type {number} */ first) =>
    new Promise((resolve) => {
      const connection = new LoadConnection(Number(load.port ?? apiPort))
      const requests = requestsFor(load)
      const next = (/** @type {number} */ turn) => {
        const begunAt = steadySeconds()
        if (left <= 0 || begunAt - startedAt > seconds) return resolve(connection.close())
        const request = requests[turn % requests.length]
        left -= request.events
        request.stamp(begunAt)
        connection.send(request.bytes, (answer) => {
          tally.add(answer, (steadySeconds() - begunAt) * 1000)
          next(turn + 1)
        })
      }
      next(first)
    })
  await Promise.all(Array.from({ length: connections }, (_, n) => run(n)))
  return { ...tally.result(), startedAt, endedAt: steadySeconds() }
}

/**
 * Sends at a fixed rate, whatever the answers take. A request that finds every connection busy waits, and its time counts
 * from when it was due.
 *
 * @param {OpenLoad} load
 * @returns {Promise<LoadResult>}
 */
async function openLoop(load) {
  const tally = new AnswerTally()
  const free = Array.from({ length: OPEN_LOOP_CONNECTIONS }, () => ({
    connection: new LoadConnection(Number(load.port ?? apiPort)),
    requests: requestsFor(load),
  }))
  const all = [...free]
  /** @type {number[]} */
  const waiting = []
  let sent = 0
  let answered = 0
  const startedAt = steadySeconds()
  await new Promise((resolve) => {
    const send = (/** @type {number} */ dueAt) => {
      const idle = free.pop()
      if (idle === undefined) return void waiting.push(dueAt)
      const request = idle.requests[sent++ % idle.requests.length]
      request.stamp(dueAt)
      idle.connection.send(request.bytes, (answer) => {
        tally.add(answer, (steadySeconds() - dueAt) * 1000)
        free.push(idle)
        const next = waiting.shift()
        if (next !== undefined) send(next)
        if (++answered === total) resolve(undefined)
      })
    }
    const total = keepRate(load, send)
  })
  for (const { connection } of all) connection.close()
  return { ...tally.result(), startedAt, endedAt: steadySeconds() }
}

serveCommands(Number(controlPort), { closed: closedLoop, open: openLoop })
