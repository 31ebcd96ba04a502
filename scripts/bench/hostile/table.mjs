import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { ROOT } from '../../lib/paths.mjs'
import { writeFormatted } from '../write-formatted.mjs'

const FILE = path.join(ROOT, 'docs', 'benchmarks.md')
const HEADINGS = ['#', 'what one party does', 'v0.1.0', 'quiet', 'attacked', 'ratio', 'bound', 'within']

/**
 * @typedef {{ quiet: string, attacked: string, ratio?: number, isWithin: boolean, note?: string }} Figures
 * @typedef {object} Row
 * @property {number} id
 * @property {string} party what one party does
 * @property {string} before measured on v0.1.0
 * @property {string} bound
 * @property {string} [test] paths, in place of figures, for a row that is a fact of the structure
 * @property {(stack: import('./stack.mjs').HostileStack) => Promise<Figures>} [run] at most a minute
 * @typedef {Row & { figures?: Figures, failure?: string }} MeasuredRow
 */

/** @param {readonly MeasuredRow[]} rows @returns {string} Markdown, with notes below the table */
export function renderTable(rows) {
  const lines = [HEADINGS, HEADINGS.map(() => '---'), ...rows.map(cells)]
  const notes = rows
    .filter(({ figures }) => figures?.note)
    .map(({ id, figures }) => `- ${id}: ${figures?.note}`)
  return [...lines.map((line) => `| ${line.join(' | ')} |`), '', ...notes].join('\n')
}

/** @param {MeasuredRow} row @returns {(string | number)[]} */
function cells({ id, party, before, bound, test, figures, failure }) {
  const fixed = [id, party, before]
  if (test) return [...fixed, `held by ${links(test)}`, '', '', bound, 'test']
  if (!figures) return [...fixed, failure ?? 'not measured', '', '', bound, 'no']
  const { quiet, attacked, ratio, isWithin } = figures
  return [...fixed, quiet, attacked, ratio?.toFixed(2) ?? '', bound, isWithin ? 'yes' : '**no**']
}

/** @param {string} tests paths, separated by commas */
const links = (tests) =>
  tests
    .split(', ')
    .map((file) => `[${path.basename(file, '.test.ts')}](../${file})`)
    .join(', ')

/** @param {import('knex').Knex} db @param {string} temporal its server version @returns {Promise<string>} one line */
export async function describeMachine(db, temporal) {
  const [[{ version }]] = await db.raw('SELECT VERSION() AS version')
  const server = /MariaDB/.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB of memory`
  return `${cpus().length} cores, ${memory}, Node ${process.versions.node}, ${server}, Temporal ${temporal}`
}

/**
 * Replaces the text between the markers of docs/benchmarks.md.
 *
 * @param {string} text Markdown
 * @param {string} [section] the name in its markers, `<!-- name -->` and `<!-- /name -->`
 */
export async function writeDocument(text, section = 'bench:hostile') {
  const [begin, end] = [`<!-- ${section} -->`, `<!-- /${section} -->`]
  const document = await readFile(FILE, 'utf8')
  const [from, to] = [document.indexOf(begin) + begin.length, document.indexOf(end)]
  if (to < from) throw new Error(`docs/benchmarks.md has no markers ${begin} and ${end}`)
  const changed = `${document.slice(0, from)}\n\n${text}\n\n${document.slice(to)}`
  await writeFormatted(FILE, changed)
}
