import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { format } from 'prettier'
import { ROOT } from '../../lib/paths.mjs'
import { writeDocument } from '../hostile/table.mjs'
import { drawChart } from './chart.mjs'
import { PEERS, renderPeers } from './peers.mjs'
import { cpuOf, renderPeaks, renderTable } from './table.mjs'

/**
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {{ machine: string, date: string, plan: import('./plan.mjs').Plan, figures: readonly Figure[],
 *   peaks: import('./processes.mjs').PerProcess }} Results
 */

const TITLES = {
  accept: 'Accepting alone, the worker stopped',
  deliver: 'Accepting and delivering',
  floors: 'Floors: what the parts do by themselves',
  steady: 'Many deliveries in a row',
  growth: 'Growth',
}

/**
 * Writes docs/bench.json, docs/bench.svg and the generated part of docs/benchmarks.md.
 *
 * @param {Results} results
 */
export async function writeResults(results) {
  const { machine, date, plan, figures, peaks } = results
  const file = (/** @type {string} */ name) => path.join(ROOT, 'docs', name)
  await writeFile(file('bench.json'), await format(JSON.stringify(results), { parser: 'json' }))
  await writeFile(file('bench.svg'), drawChart(panels(figures)))
  const sections = plan.topics.map((topic) => {
    const measured = figures.filter((figure) => figure.topic === topic)
    return measured.length === 0 ? '' : `### ${TITLES[topic]}\n\n${renderTable(measured)}`
  })
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const head = `${machine}, ${date}, by \`${command}\`: ${plan.rounds} rounds, phases of ${plan.seconds} s.`
  const chart = '![Rates and cost beside those of Svix and Outpost](bench.svg)'
  const others = `### Beside other services\n\n${renderPeers()}`
  await writeDocument([head, chart, ...sections, renderPeaks(peaks), others].join('\n\n'), 'bench')
}

const digits = (/** @type {string} */ text) => Number(text.replaceAll(',', '').split(' ', 1)[0])

/** @param {readonly Figure[]} figures @returns {import('./chart.mjs').Panel[]} */
function panels(figures) {
  const find = (/** @type {string} */ what) =>
    figures.find((figure) => figure.topic === 'deliver' && figure.what.startsWith(what))
  const [burst, fanOut] = [find('end to end'), find('fan-out 10')]
  const name = `this release (${burst?.lane ?? 'workflow'} lane)`
  const panel = (
    /** @type {string} */ title,
    /** @type {string} */ unit,
    /** @type {'endToEnd' | 'fanOut' | 'cpu'} */ field,
    /** @type {number | undefined} */ value,
  ) => ({
    ...{ title, unit },
    bars: [{ name, value }, ...PEERS.map((peer) => ({ name: peer.name, value: digits(peer[field]) }))],
  })
  return [
    panel('Accepted and delivered', 'events/s, more is better', 'endToEnd', burst?.perSecond),
    panel('Fan-out 10', 'deliveries/s, more is better', 'fanOut', fanOut?.perSecond),
    panel('Processor time of a burst', 's per 1,000 events, less is better', 'cpu', burst && cpuOf(burst)),
  ]
}
