import { writeFile } from 'node:fs/promises'
import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { describeMachine } from './hostile/table.mjs'
import { measureAccept } from './throughput/accept.mjs'
import { findFaults } from './throughput/checks.mjs'
import { measureDeliver } from './throughput/deliver.mjs'
import { writeResults } from './throughput/document.mjs'
import { overRounds } from './throughput/figure.mjs'
import { measureFloors } from './throughput/floors.mjs'
import { measureGrowth } from './throughput/growth.mjs'
import { readPlan } from './throughput/plan.mjs'
import { startBenchStack } from './throughput/stack.mjs'
import { measureSteady } from './throughput/steady.mjs'
import { renderPeaks, renderTable } from './throughput/table.mjs'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept,deliver` for some
 * topics. It brings its own servers, on free ports and in a temporary directory, and removes them at its end. A full run
 * takes at most 40 minutes, `--quick` at most 90 seconds. Ends with exit code 1 when a delivery was lost or came twice.
 * More options: throughput/plan.mjs.
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
  steady: { measure: measureSteady, isOnce: true },
  growth: { measure: measureGrowth, isOnce: true },
}

const elapsed = () => formatDuration(performance.now())
const plan = readPlan(process.argv.slice(2))

await runSupervised(async (supervisor) => {
  await build()
  const limit = setTimeout(() => process.kill(process.pid, 'SIGTERM'), plan.limitMs)
  const stack = await startBenchStack(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  /** @type {Figure[]} */
  const figures = []
  for (const topic of plan.topics) figures.push(...(await measureRounds(topic, stack)))
  const peaks = await stack.peaks()
  console.log(`\n${renderPeaks(peaks)}\n\n${machine}; the run took ${elapsed()}`)
  const results = { machine, date: new Date().toISOString().slice(0, 10), plan, figures, peaks }
  if (plan.json) await writeFile(plan.json, `${JSON.stringify(results, null, 2)}\n`)
  if (plan.isWritten) await writeResults(results)
  const faults = findFaults(figures, plan)
  for (const fault of faults) console.error(fault)
  clearTimeout(limit)
  return faults.length === 0 ? 0 : 1
})

/**
 * Measures a topic in every round and prints its table.
 *
 * @param {string} topic
 * @param {BenchStack} stack
 * @returns {Promise<Figure[]>} medians over the rounds
 */
async function measureRounds(topic, stack) {
  const { measure, isOnce = false } = MEASURES[topic]
  const count = isOnce ? 1 : plan.rounds
  /** @type {Figure[][]} */
  const rounds = []
  for (let round = 1; round <= count && !plan.isOver(); round++) {
    console.log(`${topic}, round ${round} of ${count}, after ${elapsed()}`)
    rounds.push(await measure(stack, plan))
  }
  const figures = (rounds[0] ?? []).map((_, index) =>
    overRounds(rounds.flatMap((round) => round[index] ?? [])),
  )
  console.log(figures.length > 0 ? `\n${renderTable(figures)}\n` : `${topic} was left out: the time is over`)
  return figures
}
