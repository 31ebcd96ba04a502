import { formatDuration } from '../lib/progress.mjs'

/** Of what is explained by a kill so many are shown; of what is not, everything. */
const SHOWN = 20

/** @param {number} ms epoch @returns {string} such as 14:03:07.250 */
const clock = (ms) => new Date(ms).toISOString().slice(11, 23)

/** @param {import('./kills.mjs').Kill} kill @returns {string} one line */
export const describeKill = ({ part, atMs, pauseMs, readyAtMs }) =>
  `${clock(atMs)} killed ${part}, started ${pauseMs === 0 ? 'at once' : `after ${formatDuration(pauseMs)}`}, ready ${formatDuration(readyAtMs - atMs)} after the kill`

/** @param {Record<string, number> | ReadonlyMap<string, number>} counts @returns {string} such as 3 x 503, 12 x 200 */
const describeCounts = (counts) =>
  [...(counts instanceof Map ? counts : Object.entries(counts))]
    .map(([name, count]) => `${count} x ${name}`)
    .join(', ') || 'none'

/**
 * @param {import('./options.mjs').SoakOptions} options
 * @param {import('./account/compare.mjs').Result} result
 * @param {object} run
 * @param {readonly import('./kills.mjs').Kill[]} run.kills
 * @param {{ calls: number, leftOut: number }} run.traffic
 * @param {import('./client.mjs').SoakClient} run.client
 * @param {import('./ledger.mjs').Ledger} run.ledger
 * @param {import('./webhooks.mjs').SoakWebhooks} run.webhooks
 * @param {import('./record.mjs').ReceiverRecord} run.record
 * @returns {string} everything that a reader needs, the verdict last
 */
export function renderReport(options, result, { kills, traffic, client, ledger, webhooks, record }) {
  const { account } = result
  const uncertain = ledger.uncertain.flat().length
  const parts = describeCounts(Object.fromEntries(countBy(kills, ({ part }) => part)))
  return [
    '',
    `seed ${options.seed}, lane ${options.lane}, ${options.minutes} min of traffic, settled after ${formatDuration(result.settleMs)}`,
    `calls: ${traffic.calls} begun, ${traffic.leftOut} left out because too many were open; ${client.repeats} repeats; answers ${describeCounts(client.answers)}; the slowest took ${formatDuration(client.slowestMs)}`,
    `changes: ${describeCounts(ledger.done)}; ${webhooks.all.length} webhooks`,
    `events: ${ledger.sent} sent, ${ledger.accepted.size} accepted, ${uncertain} uncertain, ${result.events} rows with test events`,
    `deliveries: ${result.deliveries}: ${describeCounts(result.ends)}; ${result.attempts} attempts`,
    `requests received: ${record.seen.length}: ${describeCounts(Object.fromEntries(countBy(record.seen, ({ status }) => String(status ?? 'not answered'))))}`,
    `kills: ${kills.length}: ${parts}`,
    `delivered twice: ${result.duplicates}; explained by a kill: ${account.explained.length}`,
    ...account.explained.slice(0, SHOWN).map((line) => `  ${line}`),
    ...account.disagreements.map((line) => `disagreement: ${line}`),
    ...account.lost.map((line) => `lost: ${line}`),
    `lost ${account.lost.length}, disagreements ${account.disagreements.length}`,
  ].join('\n')
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {(item: T) => string} nameOf
 * @returns {Map<string, number>}
 */
function countBy(list, nameOf) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const item of list) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1)
  return counts
}
