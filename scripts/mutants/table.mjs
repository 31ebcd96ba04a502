import { formatTable } from '../test/results.ts'

/**
 * The report of Stryker, as far as it is read here.
 *
 * @typedef {{ files: Record<string, { mutants: { status: string }[] }> }} Report
 *
 * The mutants of one folder by what became of them.
 * @typedef {{ name: string, killed: number, survived: number, notReached: number }} Counts
 */

/**
 * Counts the mutants of a folder. One that makes a test run for ever counts as killed. In no count are those that Stryker
 * ignored, and those with which a file cannot even load, although every test file that imports it would fail.
 *
 * @param {string} name
 * @param {Report} report
 * @returns {Counts}
 */
export function countMutants(name, { files }) {
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (/** @type {string[]} */ ...wanted) =>
    statuses.filter((status) => wanted.includes(status)).length
  return {
    name,
    killed: count('Killed', 'Timeout'),
    survived: count('Survived'),
    notReached: count('NoCoverage'),
  }
}

/** @param {readonly Counts[]} folders @returns {string} a table with a line for each folder and one for all */
export function tableOf(folders) {
  const sum = (/** @type {'killed' | 'survived' | 'notReached'} */ part) =>
    folders.reduce((total, folder) => total + folder[part], 0)
  const all = { name: 'all', killed: sum('killed'), survived: sum('survived'), notReached: sum('notReached') }
  const rows = [...folders, all].map(({ name, killed, survived, notReached }) => {
    const reached = killed + survived
    const mutants = reached + notReached
    const counts = [mutants, killed, survived, notReached].map(String)
    return [name, ...counts, percent(killed, mutants), percent(killed, reached)]
  })
  const head = ['folder', 'mutants', 'killed', 'survived', 'not reached', '% of all', '% of reached']
  return formatTable([head, ...rows])
}

/** @param {number} part @param {number} whole */
const percent = (part, whole) => (whole === 0 ? '-' : ((100 * part) / whole).toFixed(1))
