/**
 * @typedef {import('./tally.mjs').Times} Times
 *
 * @typedef {object} Figure what one phase measured
 * @property {string} topic such as accept
 * @property {string} what
 * @property {string} [lane] who makes the first attempt
 * @property {number} [webhooks]
 * @property {number} [receiverMs] how long an endpoint takes to answer
 * @property {number} [events] that were accepted
 * @property {number} [perSecond] events, or deliveries with a fan-out; undefined when it cannot be reached
 * @property {number} [acceptPerSecond] meanwhile
 * @property {Times} [acceptMs] from each request to its answer
 * @property {Times} [receivedMs] from sending an event to its first arrival at an endpoint
 * @property {import('./processes.mjs').PerProcess} [cpu] seconds of processor time for 1,000 events
 * @property {number} [lost] deliveries of accepted events that did not arrive (accept: that have no row)
 * @property {number} [duplicates] arrivals after one that was answered with 2xx
 * @property {number} [unknown] deliveries of events whose publish was not answered
 * @property {Record<string, number>} [refused] requests by status; 0 is a connection that ended
 * @property {{ early: Record<string, number>, late: Record<string, number> }} [memory] MiB by process
 * @property {import('./processes.mjs').PerProcess} [peaks] most memory of each process while the lane was measured; the lane's first figure has it
 * @property {string} [cannot] why the figure could not be had, such as how far it came
 */

/** @param {readonly number[]} values @returns {number} */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (/** @type {number} */ index) => sorted[index] ?? NaN
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2
}

/** Summed over the rounds: a single lost delivery must show. */
const SUMMED = new Set(['lost', 'duplicates', 'unknown', 'events'])

/**
 * @param {readonly Figure[]} rounds the same figure in every round
 * @returns {Figure} medians; losses and duplicates are sums
 */
export function overRounds(rounds) {
  const [first] = rounds
  if (first === undefined) throw new Error('no round was measured')
  const failed = rounds.find(({ cannot }) => cannot !== undefined)
  const merge = (/** @type {string} */ name, /** @type {any[]} */ values) => {
    if (typeof values[0] === 'number')
      return SUMMED.has(name) ? values.reduce((sum, value) => sum + value, 0) : median(values)
    if (typeof values[0] !== 'object' || values[0] === null) return values[0]
    const names = new Set(values.flatMap((value) => Object.keys(value ?? {})))
    /** @type {Record<string, unknown>} */
    const merged = {}
    for (const each of names) {
      const inner = values.map((value) => value?.[each]).filter((value) => value != null)
      if (inner.length > 0) merged[each] = merge(each, inner)
    }
    return merged
  }
  return /** @type {Figure} */ ({ ...merge('', [...rounds]), ...(failed && { cannot: failed.cannot }) })
}
