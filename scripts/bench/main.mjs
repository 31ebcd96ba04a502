import { writeFile } from 'node:fs/promises'
import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { describeMachine } from './hostile/table.mjs'
import { measureAccept } from './throughput/accept.mjs'
import { attachToRunning } from './throughput/attach.mjs'
import { measureBadEndpoints } from './throughput/bad-endpoints.mjs'
import { findFaults } from './throughput/checks.mjs'
import { measureDeliver } from './throughput/deliver.mjs'
import { writeResults } from './throughput/document.mjs'
import { overRounds } from './throughput/figure.mjs'
import { measureFloors } from './throughput/floors.mjs'
import { measureGrowth } from './throughput/growth.mjs'
import { planFor, readPlan } from './throughput/plan.mjs'
import { startBenchStack } from './throughput/stack.mjs'
import { measureSteady } from './throughput/steady.mjs'
import { renderPeaks, renderTable } from './throughput/table.mjs'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept,deliver` for some
 * topics. It brings its own servers, on free ports and in a temporary directory, and removes them at its end; with
 * `--running` it uses the service that `npm start` runs in this checkout (or with `--data DIR`). A full run takes at most
 * 40 minutes, `--quick` at most 90 seconds. Ends with exit code 1 when a delivery was lost or came twice. More options:
 * throughput/plan.mjs.
 */

/**
 * @typedef {import('./throughput/figure.mjs').Figure} Figure
 * @typedef {import('./throughput/stack.mjs').BenchStack} BenchStack
 * @typedef {(stack: BenchStack, plan: import('./throughput/plan.mjs').Plan) => Promise<Figure[]>} Measure
 * @type {Record<string, { measure: Measure, isOnce?: boolean }>} isOnce: it has rounds of its own, or none
 */
const MEASURES = {
  accept: { measure: measureAccept },
  deliver: { measure: measureDeliver },
  floors: { measure: measureFloors },
  bad: { measure: measureBadEndpoints, isOnce: true },
  steady: { measure: measureSteady, isOnce: true },
  growth: { measure: measureGrowth, isOnce: true },
}

const WORKER_RAN = 'The worker of the service was running while the events were accepted.'

const elapsed = () => formatDuration(performance.now())
const plan = readPlan(process.argv.slice(2))

await runSupervised(async (supervisor) => {
  const limit = setTimeout(() => process.kill(process.pid, 'SIGTERM'), plan.limitMs)
  const stack = await prepare(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const date = new Date().toISOString().slice(0, 10)
  /** @type {import('./throughput/document.mjs').Results} */
  const results = {}
  const startedMs = performance.now()
  for (const topic of plan.topics) {
    await stack.resetPeaks()
    const figures = await measureRounds(topic, stack, planFor(plan, topic, startedMs))
    if (figures.length === 0) {
      console.log(`${topic} was left out: the time is over`)
      continue
    }
    const { rounds, seconds } = plan
    const peaks = await stack.peaks()
    results[topic] = { machine, date, command, rounds, seconds, figures, peaks }
    const remark = stack.isAttached && topic === 'accept' ? `\n\n${WORKER_RAN}` : ''
    console.log(
      `\n${[renderTable(figures) + remark, renderPeaks(peaks, figures)].filter(Boolean).join('\n\n')}\n`,
    )
    // At once, so that a later topic that fails takes nothing along.
    if (plan.json) await writeFile(plan.json, `${JSON.stringify(results, null, 2)}\n`)
    if (plan.isWritten) await writeResults(results)
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

/**
 * @param {import('../lib/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<BenchStack>} the running service, as it was built when it started, or one of the benchmark's own
 */
async function prepare(supervisor) {
  if (plan.dataDir === undefined) {
    await build()
    return startBenchStack(supervisor)
  }
  const stack = await attachToRunning(supervisor, plan.dataDir)
  console.log(`The running service is measured, in the lane "${stack.lane}".`)
  return stack
}

/**
 * Measures a topic in every round.
 *
 * @param {string} topic
 * @param {BenchStack} stack
 * @param {import('./throughput/plan.mjs').Plan} plan of the topic
 * @returns {Promise<Figure[]>} medians over the rounds
 */
async function measureRounds(topic, stack, plan) {
  const { measure, isOnce = false } = MEASURES[topic]
  const count = isOnce ? 1 : plan.rounds
  /** @type {Figure[][]} */
  const rounds = []
  for (let round = 1; round <= count && !plan.isOver(); round++) {
    console.log(`${topic}, round ${round} of ${count}, after ${elapsed()}`)
    rounds.push(await measure(stack, plan))
  }
  return (rounds[0] ?? []).map((_, index) => overRounds(rounds.flatMap((round) => round[index] ?? [])))
}
