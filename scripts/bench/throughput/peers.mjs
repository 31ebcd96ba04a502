import { cpuOf, shown, sumOf } from './table.mjs'

/** @typedef {import('./document.mjs').TopicResult} TopicResult @typedef {Record<keyof typeof LINES, string>} Described */

/**
 * What two other services and our first release did, measured on 2026-11-21 on the same two quiet cores: see
 * docs/benchmarks.md, below the table.
 */
const PEERS = [
  {
    name: 'ours v0.1.0 (workflow lane)',
    endToEnd: '34.5 (accepting meanwhile 156)',
    fanOut: '49',
    acceptPaced: '9.1/151; cannot',
    receivedPaced: '36/298; cannot',
    cpu: '51.8 (Temporal 24, worker 20, MariaDB 4, api 3.7)',
    memory: '1,229 (worker 587, Temporal 352)',
  },
  {
    name: 'Svix 1.100 (Rust, PostgreSQL, Redis)',
    endToEnd: '1,056',
    fanOut: '3,388',
    acceptPaced: '3.6/7.7; 1.9/4.3',
    receivedPaced: '4.2/10; 2.4/5.5',
    cpu: '1.57',
    memory: '402',
  },
  {
    name: 'Outpost 1.2 (Go, RabbitMQ, PostgreSQL, Redis)',
    endToEnd: '1,373',
    fanOut: '1,620',
    acceptPaced: '3.0/7.4; 1.9/7.4',
    receivedPaced: '22/55; 30/55',
    cpu: '1.17',
    memory: '415',
  },
]

const LINES = {
  endToEnd: 'accepted and delivered /s',
  fanOut: 'deliveries /s, fan-out 10',
  acceptPaced: 'accept p50/p99 ms at 20/s; at 200/s',
  receivedPaced: 'sent -> received p50/p99 ms at 20/s; at 200/s',
  cpu: 'CPU s per 1,000 events, burst',
  memory: 'peak memory, MiB',
}

/**
 * The figure of a lane with endpoints that answer at once.
 *
 * @param {TopicResult} delivered
 * @param {string} lane
 * @param {string} what
 * @returns {import('./figure.mjs').Figure | undefined}
 */
const find = ({ figures }, lane, what) =>
  figures.find((figure) => figure.lane === lane && figure.what === what && !figure.receiverMs)

/** @param {TopicResult} delivered @returns {string[]} */
const lanesOf = ({ figures }) => [...new Set(figures.flatMap(({ lane }) => lane ?? []))]

/** @param {string} lane @param {TopicResult} delivered */
const nameOf = (lane, { date }) => `this version, ${date} (${lane} lane)`

/** @param {TopicResult} delivered what the topic `deliver` gave @returns {(Described & { name: string })[]} a column for each lane */
export const describeOurs = (delivered) => lanesOf(delivered).map((lane) => describeLane(delivered, lane))

/** @param {TopicResult} delivered @param {string} lane @returns {Described & { name: string }} */
function describeLane(delivered, lane) {
  const found = (/** @type {string} */ what) => find(delivered, lane, what)
  const [burst, fanOut] = [found('end to end'), found('fan-out 10, deliveries')]
  const times = (/** @type {'acceptMs' | 'receivedMs'} */ field) =>
    [20, 200]
      .map((rate) => found(`open loop, ${rate}/s`))
      .map((figure) =>
        figure === undefined || figure.cannot !== undefined
          ? 'cannot'
          : `${shown(figure[field]?.p50)}/${shown(figure[field]?.p99)}`,
      )
      .join('; ')
  return {
    name: nameOf(lane, delivered),
    endToEnd: `${shown(burst?.perSecond) || 'cannot'} (accepting meanwhile ${shown(burst?.acceptPerSecond)})`,
    fanOut: shown(fanOut?.perSecond) || 'cannot',
    acceptPaced: times('acceptMs'),
    receivedPaced: times('receivedMs'),
    cpu: burst ? shown(cpuOf(burst)) : '',
    memory: shown(sumOf(burst?.peaks ?? delivered.peaks)),
  }
}

/** @param {readonly (Described & { name: string })[]} ours @returns {string} Markdown */
export function renderPeers(ours) {
  const services = [...ours, ...PEERS]
  const heading = ['', ...services.map(({ name }) => name)]
  const rows = Object.entries(LINES).map(([field, title]) => [title, ...services.map((each) => each[field])])
  return [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const number = (/** @type {string} */ text) => Number(text.replaceAll(',', '').split(' ', 1)[0])

/** @param {TopicResult} delivered @returns {import('./chart.mjs').Panel[]} bars of ours, one for each lane, beside the others */
export function comparePeers(delivered) {
  const panel = (
    /** @type {string} */ title,
    /** @type {string} */ unit,
    /** @type {'endToEnd' | 'fanOut' | 'cpu'} */ field,
    /** @type {(lane: string) => number | undefined} */ valueOf,
  ) => ({
    title,
    unit,
    bars: [
      ...lanesOf(delivered).map((lane) => ({ name: nameOf(lane, delivered), value: valueOf(lane) })),
      ...PEERS.map((peer) => ({ name: peer.name, value: number(peer[field]) })),
    ],
  })
  const burst = (/** @type {string} */ lane) => find(delivered, lane, 'end to end')
  const fanOut = (/** @type {string} */ lane) => find(delivered, lane, 'fan-out 10, deliveries')?.perSecond
  const cost = (/** @type {string} */ lane) => {
    const figure = burst(lane)
    return figure && cpuOf(figure)
  }
  return [
    panel('Accepted and delivered', 'events/s, more is better', 'endToEnd', (lane) => burst(lane)?.perSecond),
    panel('Fan-out 10', 'deliveries/s, more is better', 'fanOut', fanOut),
    panel('Processor time of a burst', 's per 1,000 events, less is better', 'cpu', cost),
  ]
}
