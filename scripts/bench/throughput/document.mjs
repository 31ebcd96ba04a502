import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../../lib/paths.mjs'
import { writeDocument } from '../hostile/table.mjs'
import { writeFormatted } from '../write-formatted.mjs'
import { drawChart } from './chart.mjs'
import { comparePeers, describeOurs, renderPeers } from './peers.mjs'
import { renderPeaks, renderTable } from './table.mjs'

/**
 * @typedef {object} TopicResult
 * @property {string} machine and the versions of the servers
 * @property {string} date
 * @property {string} command that made it
 * @property {number} rounds
 * @property {number} seconds of a phase
 * @property {readonly import('./figure.mjs').Figure[]} figures
 * @property {import('./processes.mjs').PerProcess} peaks MiB
 *
 * @typedef {Record<string, TopicResult>} Results by topic
 */

const TITLES = {
  accept: 'Accepting alone, the worker stopped',
  deliver: 'Accepting and delivering',
  floors: 'Floors: what the parts do by themselves',
  bad: 'Beside an endpoint that fails',
  steady: 'Many deliveries in a row',
  growth: 'Growth',
}
const CHART = '![Rates and cost beside those of Svix and Outpost](bench.svg)'

/**
 * Writes docs/bench.json, docs/bench.svg and the generated part of docs/benchmarks.md. Topics that were not measured this
 * time keep their former figures, with the date and the command of then.
 *
 * @param {Results} measured
 */
export async function writeResults(measured) {
  const [json, svg] = ['bench.json', 'bench.svg'].map((name) => path.join(ROOT, 'docs', name))
  const former = await readFile(json, 'utf8').then(JSON.parse, () => ({}))
  /** @type {Results} */
  const results = { ...former, ...measured }
  await writeFormatted(json, JSON.stringify(results, rounded))
  const sections = Object.entries(TITLES).flatMap(([topic, title]) => section(title, results[topic]))
  const ours = results.deliver ? describeOurs(results.deliver) : []
  if (results.deliver) await writeFile(svg, drawChart(comparePeers(results.deliver)))
  const others = `### Beside other services\n\n${renderPeers(ours)}\n\n${ours.length > 0 ? CHART : ''}`
  await writeDocument([...sections, others].join('\n\n'), 'bench')
}

/** @param {string} title @param {TopicResult | undefined} result @returns {string[]} Markdown; nothing without a result */
function section(title, result) {
  if (result === undefined || result.figures.length === 0) return []
  const { machine, date, command, rounds, seconds, figures, peaks } = result
  const by = `${machine}; ${date}, by \`${command}\`, rounds: ${rounds}, phases of ${seconds} s.`
  return [`### ${title}`, by, renderTable(figures), renderPeaks(peaks, figures)]
}

/** More digits than these say nothing. @param {string} _name @param {unknown} value */
const rounded = (_name, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value)
