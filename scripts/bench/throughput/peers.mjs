/**
 * What two other services and our first release did, measured on 2026-11-21 on the same two quiet cores: see the text that
 * `document.mjs` writes below the table.
 */
export const PEERS = [
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

/** @type {readonly (readonly [title: string, field: 'endToEnd' | 'fanOut' | 'acceptPaced' | 'receivedPaced' | 'cpu' | 'memory'])[]} */
const LINES = [
  ['accepted and delivered /s', 'endToEnd'],
  ['deliveries /s, fan-out 10', 'fanOut'],
  ['accept p50/p99 ms at 20/s; at 200/s', 'acceptPaced'],
  ['sent -> received p50/p99 ms at 20/s; at 200/s', 'receivedPaced'],
  ['CPU s per 1,000 events, burst', 'cpu'],
  ['peak memory, MiB', 'memory'],
]

/** @returns {string} Markdown */
export function renderPeers() {
  const heading = ['', ...PEERS.map(({ name }) => name)]
  const rows = LINES.map(([title, field]) => [title, ...PEERS.map((peer) => peer[field])])
  return [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
