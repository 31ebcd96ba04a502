import { writeFile } from 'node:fs/promises'
import { build } from '../scripts/build.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised, type Supervisor } from '../scripts/lib/supervisor.ts'
import { describeMachine, today } from './support/document.ts'
import { measureAccept } from './throughput/accept.ts'
import { attachToRunning } from './throughput/attach.ts'
import { measureBadEndpoints } from './throughput/bad-endpoints.ts'
import { measureDeliver } from './throughput/deliver.ts'
import { findFaults, mergeRounds, type Figure } from './throughput/figure.ts'
import { measureFloors } from './throughput/floors.ts'
import { measureGrowth } from './throughput/growth.ts'
import { planFor, readPlan, type Plan, type Topic } from './throughput/plan.ts'
import type { LoadStack } from './throughput/programs.ts'
import { startLoadStack } from './throughput/stack.ts'
import { measureProcesses } from './throughput/processes.ts'
import { measureSteady } from './throughput/steady.ts'
import { renderTopic, writeTopic, type TopicResult } from './throughput/table.ts'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept,deliver` for some
 * topics. It brings its own servers, on free ports and in a temporary directory, and removes them at its end; with
 * `--running` it uses the service that `npm start` runs in this checkout (or with `--data DIR`). A full run takes at most
 * 40 minutes, `--quick` at most 90 seconds. Ends with exit code 1 when a delivery was lost or came twice. More options:
 * throughput/plan.ts.
 */

/** isOnce: it has rounds of its own, or none. */
type Measure = {
  readonly measure: (stack: LoadStack, plan: Plan) => Promise<Figure[]>
  readonly isOnce?: boolean
}
const MEASURES: Record<Topic, Measure> = {
  accept: { measure: measureAccept },
  deliver: { measure: measureDeliver },
  floors: { measure: measureFloors },
  bad: { measure: measureBadEndpoints, isOnce: true },
  processes: { measure: measureProcesses },
  steady: { measure: measureSteady, isOnce: true },
  growth: { measure: measureGrowth, isOnce: true },
}

const elapsed = () => formatDuration(performance.now())
const plan = readPlan(process.argv.slice(2))

await runSupervised(async (supervisor) => {
  const limit = setTimeout(() => process.kill(process.pid, 'SIGTERM'), plan.limitMs)
  const stack = await prepare(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const { rounds, seconds } = plan
  const results: Partial<Record<Topic, TopicResult>> = {}
  const startedMs = performance.now()
  for (const topic of plan.topics) {
    await stack.resetPeaks()
    const figures = await measureRounds(topic, stack, planFor(plan, topic, startedMs))
    if (figures.length === 0) {
      console.log(`${topic} was left out: the time is over`)
      continue
    }
    const result = { machine, date: today(), command, rounds, seconds, figures, peaks: await stack.peaks() }
    results[topic] = result
    console.log(`\n${renderTopic(result)}\n`)
    if (stack.isAttached && topic === 'accept')
      console.log('The worker of the service was running while the events were accepted.\n')
    // At once, so that a later topic that fails takes nothing along.
    if (plan.json) await writeFile(plan.json, `${JSON.stringify(results, null, 2)}\n`)
    if (plan.isWritten) await writeTopic(topic, result)
  }
  console.log(`${machine}; the run took ${elapsed()}`)
  const faults = findFaults(
    Object.values(results).flatMap(({ figures }) => figures),
    // The ratios are those of a service that nobody else uses.
    { isQuick: plan.isQuick && !stack.isAttached },
  )
  for (const fault of faults) console.error(fault)
  clearTimeout(limit)
  return faults.length === 0 ? 0 : 1
})

/** The running service, as it was built when it started, or one of the benchmark's own. */
async function prepare(supervisor: Supervisor): Promise<LoadStack> {
  if (plan.dataDir === undefined) {
    await build()
    return startLoadStack(supervisor)
  }
  const stack = await attachToRunning(supervisor, plan.dataDir)
  console.log(`The running service is measured, in the lane "${stack.lane}".`)
  return stack
}

/** Measures a topic in every round. Gives medians over the rounds. */
async function measureRounds(topic: Topic, stack: LoadStack, ofTopic: Plan): Promise<Figure[]> {
  const { measure, isOnce = false } = MEASURES[topic]
  const count = isOnce ? 1 : ofTopic.rounds
  const rounds: Figure[][] = []
  for (let round = 1; round <= count && !ofTopic.isOver(); round++) {
    console.log(`${topic}, round ${round} of ${count}, after ${elapsed()}`)
    rounds.push(await measure(stack, ofTopic))
  }
  return mergeRounds(rounds)
}
