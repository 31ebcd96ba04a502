import { appendFileSync, readFileSync } from 'node:fs'

/** What a test file cost: a line of JSON in the file that TEST_FIGURES_FILE names. */
export type FileFigures = { readonly file: string; readonly seconds: number; readonly cpuSeconds: number }

/** Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100
/** Where user, system, and those two of ended children stand behind the name of the program in /proc/<pid>/stat. */
const TIMES = [11, 15] as const

/**
 * The CPU time of a process and of those of its children that have ended, in seconds. 0 where the system does not tell it.
 *
 * @param pid of a process that is alive
 */
export function cpuSeconds(pid: number | 'self'): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(...TIMES).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** Root hooks of mocha that write the figures of each file. With files side by side mocha runs them for each file. */
export const mochaHooks = {
  beforeAll(): void {
    began = { ms: performance.now(), cpu: cpuSeconds('self') }
  },
  afterAll(this: Mocha.Context): void {
    const to = process.env['TEST_FIGURES_FILE']
    const file = this.test?.parent?.suites[0]?.file
    if (to === undefined || file === undefined) return
    const seconds = (performance.now() - began.ms) / 1000
    const figures: FileFigures = { file, seconds, cpuSeconds: cpuSeconds('self') - began.cpu }
    appendFileSync(to, `${JSON.stringify(figures)}\n`)
  },
}

let began = { ms: 0, cpu: 0 }
