import { writeFile } from 'node:fs/promises'
import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { describeMachine } from './hostile/table.mjs'
import { measureAccept } from './throughput/accept.mjs'
import { measureDeliver } from './throughput/deliver.mjs'
import { overRounds } from './throughput/figure.mjs'
import { readPlan } from './throughput/plan.mjs'
import { startBenchStack } from './throughput/stack.mjs'
import { renderPeaks, renderTable } from './throughput/table.mjs'

/*
 * How fast the whole service is, and what it costs: `npm run bench`, or `npm run bench -- --only accept` for one topic.
 * It brings its own servers, on free ports and in a temporary directory, and removes them at its end.
 */

/** @typedef {import('./throughput/figure.mjs').Figure} Figure */

const MEASURES = { accept: measureAccept, deliver: measureDeliver }

const startedMs = performance.now()
const plan = readPlan(process.argv.slice(2))

await runSupervised(async (supervisor) => {
  await build()
  const stack = await startBenchStack(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  /** @type {Figure[]} */
  const figures = []
  for (const topic of plan.topics) figures.push(...(await measureRounds(topic, stack)))
  const peaks = await stack.peaks()
  const took = formatDuration(performance.now() - startedMs)
  console.log(`\n${renderPeaks(peaks)}\n\n${machine}; ${took}`)
  if (plan.json) await writeFile(plan.json, `${JSON.stringify({ machine, plan, figures, peaks }, null, 2)}\n`)
  return figures.some(({ lost, duplicates }) => (lost ?? 0) + (duplicates ?? 0) > 0) ? 1 : 0
})

/**
 * Measures a topic in every round and prints its table.
 *
 * @param {string} topic
 * @param {import('./throughput/stack.mjs').BenchStack} stack
 * @returns {Promise<Figure[]>} medians over the rounds
 */
async function measureRounds(topic, stack) {
  /** @type {Figure[][]} */
  const rounds = []
  for (let round = 1; round <= plan.rounds; round++) {
    console.log(
      `${topic}, round ${round} of ${plan.rounds}, after ${formatDuration(performance.now() - startedMs)}`,
    )
    rounds.push(await MEASURES[topic](stack, plan))
  }
  const figures = (rounds[0] ?? []).map((_, index) => overRounds(rounds.map((round) => round[index])))
  console.log(`\n${renderTable(figures)}\n`)
  return figures
}
