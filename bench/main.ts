import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { build } from '../scripts/build.mjs'
import { run } from '../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../scripts/lib/paths.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { measureAccept, measureFloors } from './throughput/accept.ts'
import { measureBadEndpoints } from './throughput/bad-endpoints.ts'
import { measureDeliver, measureProcesses, measureSteady } from './throughput/deliver.ts'
import { findFaults, mergeRounds, renderTopic, type Figure, type Results } from './throughput/figure.ts'
import { fillOld } from './throughput/fixture.ts'
import { readPlan, type Topic } from './throughput/plan.ts'
import { startLoadStack, type LoadStack } from './throughput/stack.ts'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept,deliver` for some
 * topics. It brings its own servers, on free ports and in a temporary directory, and removes them at its end. A full run takes
 * less than an hour, `--quick` about a minute. Ends with exit code 1 when a delivery was lost or came twice. More options:
 * throughput/plan.ts.
 */

const MEASURES = {
  accept: measureAccept,
  deliver: measureDeliver,
  floors: measureFloors,
  bad: measureBadEndpoints,
  processes: measureProcesses,
  steady: measureSteady,
}
const OF_EACH_LANE: readonly Topic[] = ['deliver', 'bad', 'steady']
/** Topics that have one round, because they last for minutes. */
const ONCE: readonly Topic[] = ['bad', 'steady']

const FILE = path.join(ROOT, 'docs', 'benchmarks.md')

const elapsed = () => formatDuration(performance.now())

await runSupervised(async (supervisor) => {
  const plan = readPlan()
  await build()
  const stack = await startLoadStack(supervisor, plan)
  if (plan.oldDeliveries > 0) await fillOld(stack)
  const machine = await describeMachine(stack)
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const { rounds, seconds } = plan
  const results: Results = {}
  for (const topic of plan.topics) {
    const figures = await measureRounds(topic, stack)
    const date = new Date().toISOString().slice(0, 10)
    const result = { machine, date, command, rounds, seconds, figures }
    results[topic] = result
    const table = renderTopic(figures)
    console.log(`\n${table}\n`)
    // Written after each topic, so that a later one that fails loses nothing.
    if (plan.json) await writeFile(plan.json, `${JSON.stringify(results, null, 2)}\n`)
    const by = `${machine}; ${date}, by \`${command}\`, rounds: ${rounds}, phases of ${seconds} s.`
    if (plan.isWritten) await writeTopic(topic, `${by}\n\n${table}`)
  }
  console.log(`${machine}; the run took ${elapsed()}`)
  const faults = findFaults(results, plan)
  for (const fault of faults) console.error(fault)
  return faults.length === 0 ? 0 : 1
})

/** Measures a topic in every round. Returns its figures merged over the rounds. */
async function measureRounds(topic: Topic, stack: LoadStack): Promise<Figure[]> {
  const { lanes, rounds: planned } = stack.plan
  const count = ONCE.includes(topic) ? 1 : planned
  const rounds: Figure[][] = []
  for (let round = 1; round <= count; round++) {
    console.log(`${topic}, round ${round} of ${count}, after ${elapsed()}`)
    const figures: Figure[] = []
    for (const lane of OF_EACH_LANE.includes(topic) ? lanes : [stack.lane]) {
      await stack.useLane(lane)
      await stack.resetPeaks()
      const measured = await MEASURES[topic](stack)
      const peaks = await stack.peaks()
      figures.push(...measured.map((each, n) => ({ lane: stack.lane, ...each, ...(n === 0 && { peaks }) })))
    }
    rounds.push(figures)
  }
  return mergeRounds(rounds)
}

/** The machine and the versions of its servers in one line. */
async function describeMachine({ db, temporalVersion }: LoadStack): Promise<string> {
  const [[row]] = (await db.raw('SELECT VERSION() AS version')) as [{ version: string }[]]
  const version = row?.version ?? ''
  const server = version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB of memory`
  return `${machine}, Node ${process.versions.node}, ${server}, Temporal ${temporalVersion}`
}

/** Replaces what docs/benchmarks.md has between the markers of a topic, `<!-- bench:topic -->` and `<!-- /bench:topic -->`. */
async function writeTopic(topic: Topic, text: string): Promise<void> {
  const part = new RegExp(`(?<=<!-- bench:${topic} -->).*(?=<!-- /bench:${topic} -->)`, 's')
  const document = await readFile(FILE, 'utf8')
  if (!part.test(document)) throw new Error(`docs/benchmarks.md has no markers of bench:${topic}`)
  const written = document.replace(part, () => `\n\n${text}\n\n`)
  await writeFile(FILE, written)
  const { code, output } = await run(packageBin('oxfmt'), [FILE], { cwd: ROOT })
  if (code !== 0) throw new Error(`The formatter refused ${FILE}: ${output}`)
}
