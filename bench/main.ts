import { writeFile } from 'node:fs/promises'
import { build } from '../scripts/build.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { describeMachine } from './support/document.ts'
import { measureAccept } from './throughput/accept.ts'
import { measureBadEndpoints } from './throughput/bad-endpoints.ts'
import { measureDeliver } from './throughput/deliver.ts'
import { findFaults, mergeRounds, type Figure } from './throughput/figure.ts'
import { fillOld } from './throughput/fixture.ts'
import { measureFloors } from './throughput/floors.ts'
import { readPlan, type Topic } from './throughput/plan.ts'
import { measureProcesses } from './throughput/processes.ts'
import { startLoadStack, type LoadStack } from './throughput/stack.ts'
import { measureSteady } from './throughput/steady.ts'
import { renderTopic, writeTopic, type TopicResult } from './throughput/table.ts'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept,deliver` for some
 * topics. It brings its own servers, on free ports and in a temporary directory, and removes them at its end. A full run takes
 * less than an hour, `--quick` about a minute. Ends with exit code 1 when a delivery was lost or came twice. More options:
 * throughput/plan.ts.
 */

/** `ofLanes`: it is measured in each lane; `isOnce`: in one round only, because it lasts for minutes. */
type Measure = {
  readonly measure: (stack: LoadStack) => Promise<Figure[]>
  readonly ofLanes?: true
  readonly isOnce?: true
}
const MEASURES: Record<Topic, Measure> = {
  accept: { measure: measureAccept },
  deliver: { measure: measureDeliver, ofLanes: true },
  floors: { measure: measureFloors },
  bad: { measure: measureBadEndpoints, ofLanes: true, isOnce: true },
  processes: { measure: measureProcesses },
  steady: { measure: measureSteady, ofLanes: true, isOnce: true },
}

const elapsed = () => formatDuration(performance.now())

await runSupervised(async (supervisor) => {
  const plan = readPlan(process.argv.slice(2))
  await build()
  const stack = await startLoadStack(supervisor, plan)
  if (plan.oldDeliveries > 0) await fillOld(stack)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const { rounds, seconds } = plan
  const results: Partial<Record<Topic, TopicResult>> = {}
  for (const topic of plan.topics) {
    const figures = await measureRounds(topic, stack)
    const date = new Date().toISOString().slice(0, 10)
    const result = { machine, date, command, rounds, seconds, figures }
    results[topic] = result
    console.log(`\n${renderTopic(result)}\n`)
    // Written after each topic, so that a later one that fails loses nothing.
    if (plan.json) await writeFile(plan.json, `${JSON.stringify(results, null, 2)}\n`)
    if (plan.isWritten) await writeTopic(topic, result)
  }
  console.log(`${machine}; the run took ${elapsed()}`)
  const faults = findFaults(results, plan)
  for (const fault of faults) console.error(fault)
  return faults.length === 0 ? 0 : 1
})

/** Measures a topic in every round. Returns its figures merged over the rounds. */
async function measureRounds(topic: Topic, stack: LoadStack): Promise<Figure[]> {
  const { measure, ofLanes, isOnce } = MEASURES[topic]
  const count = isOnce ? 1 : stack.plan.rounds
  const rounds: Figure[][] = []
  for (let round = 1; round <= count; round++) {
    console.log(`${topic}, round ${round} of ${count}, after ${elapsed()}`)
    const figures: Figure[] = []
    for (const lane of ofLanes ? stack.plan.lanes : [stack.lane]) {
      await stack.useLane(lane)
      await stack.resetPeaks()
      const [first, ...others] = await measure(stack)
      figures.push({ ...first!, peaks: await stack.peaks() }, ...others)
    }
    rounds.push(figures)
  }
  return mergeRounds(rounds)
}
