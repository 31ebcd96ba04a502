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

/** @param {TopicResult} delivered @param {string} what @returns {import('./figure.mjs').Figure | undefined} with endpoints that answer at once */
const find = ({ figures }, what) => figures.find((figure) => figure.what === what && !figure.receiverMs)

/** @param {TopicResult} delivered what the topic `deliver` gave @returns {Described & { name: string }} as a column of the table */
export function describeOurs(delivered) {
  const [burst, fanOut] = [find(delivered, 'end to end'), find(delivered, 'fan-out 10, deliveries')]
  const times = (/** @type {'acceptMs' | 'receivedMs'} */ field) =>
    [20, 200]
      .map((rate) => find(delivered, `open loop, ${rate}/s`))
      .map((figure) =>
        figure === undefined || figure.cannot !== undefined
          ? 'cannot'
          : `${shown(figure[field]?.p50)}/${shown(figure[field]?.p99)}`,
      )
      .join('; ')
  return {
    name: `this version, ${delivered.date} (${burst?.lane} lane)`,
    endToEnd: `${shown(burst?.perSecond) || 'cannot'} (accepting meanwhile ${shown(burst?.acceptPerSecond)})`,
    fanOut: shown(fanOut?.perSecond) || 'cannot',
    ...{ acceptPaced: times('acceptMs'), receivedPaced: times('receivedMs') },
    cpu: burst ? shown(cpuOf(burst)) : '',
    memory: shown(sumOf(delivered.peaks)),
  }
}

/** @param {(Described & { name: string }) | undefined} ours @returns {string} Markdown */
export function renderPeers(ours) {
  const services = ours ? [ours, ...PEERS] : PEERS
  const heading = ['', ...services.map(({ name }) => name)]
  const rows = Object.entries(LINES).map(([field, title]) => [title, ...services.map((each) => each[field])])
  return [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const number = (/** @type {string} */ text) => Number(text.replaceAll(',', '').split(' ', 1)[0])

/** @param {TopicResult} delivered @returns {import('./chart.mjs').Panel[]} bars of ours beside the others */
export function comparePeers(delivered) {
  const burst = find(delivered, 'end to end')
  const panel = (
    /** @type {string} */ title,
    /** @type {string} */ unit,
    /** @type {'endToEnd' | 'fanOut' | 'cpu'} */ field,
    /** @type {number | undefined} */ value,
  ) => ({
    ...{ title, unit },
    bars: [
      { name: describeOurs(delivered).name, value },
      ...PEERS.map((peer) => ({ name: peer.name, value: number(peer[field]) })),
    ],
  })
  const fanOut = find(delivered, 'fan-out 10, deliveries')
  return [
    panel('Accepted and delivered', 'events/s, more is better', 'endToEnd', burst?.perSecond),
    panel('Fan-out 10', 'deliveries/s, more is better', 'fanOut', fanOut?.perSecond),
    panel('Processor time of a burst', 's per 1,000 events, less is better', 'cpu', burst && cpuOf(burst)),
  ]
}
