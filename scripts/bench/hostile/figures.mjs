import { readFile } from 'node:fs/promises'

/** Clock ticks a second in /proc: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** @param {{ pid: number }} service @returns {Promise<number>} the memory that its process holds now, in MiB */
export async function residentMib({ pid }) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

/** @param {{ pid: number }} service @returns {Promise<number>} seconds of processor time that its process used so far */
export async function cpuSeconds({ pid }) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/**
 * @param {{ url: string }} service an api or a worker
 * @param {string} name
 * @param {Readonly<Record<string, string>>} [labels]
 * @returns {Promise<number>} the sum of a metric over all its samples whose labels match
 */
export async function readMetric({ url }, name, labels = {}) {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
