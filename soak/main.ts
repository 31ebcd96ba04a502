import { build } from '../scripts/build.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { makeDirectory } from '../scripts/stack/stack.ts'
import { variables } from '../src/config/variables.ts'
import { settleAndCompare } from './account/account.ts'
import { endOf } from './account/rows.ts'
import { readOptions } from './options.ts'
import { SeededRandom } from './random.ts'
import { killInTurns, PARTS, startSoakStack } from './stack.ts'
import { createParts, makeTraffic, recoverAll } from './traffic.ts'

/*
 * Runs the whole service under mixed traffic while its parts are killed, and accounts for every accepted event:
 * `npm run soak -- --minutes 10 --seed 1`. It brings its own servers, on free ports and in a temporary directory. Ends with
 * exit code 1 when something was lost, or when receivers, database and Temporal do not agree; then the directory is kept.
 * docs/reliability.md says what the options are, and what is checked.
 */

/** A run of this length or more has the full times between kills. In a shorter run they are shorter in proportion. */
const FULL_MINUTES = 8
/** Least and most time from one kill to the next. */
const KILL_EVERY_MS = [30_000, 90_000]
/** Most lines that are shown of what a kill explains. */
const SHOWN = 20

/** Such as 3 x 503, 12 x 200. */
const count = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => `${length} x ${name}`).join(', ') ||
  'none'

/** Yields parts without end, in shuffled rounds, so that every part comes about as often. */
function* drawParts(random: SeededRandom) {
  for (;;) for (const part of random.shuffled(PARTS)) yield [part]
}

await runSupervised(async (supervisor) => {
  const { seed, lane, minutes, rate: perSecond } = readOptions({ lane: 'workflow', minutes: 10, rate: 3 })
  // The rule of the setting itself, so that the soak knows every lane that the service knows.
  const { error } = variables.extract('DELIVERY_FIRST_ATTEMPT').label('--lane').validate(lane)
  if (error) throw new Error(error.message)
  await build()
  console.log(`seed ${seed}, lane ${lane}`)
  const dir = await makeDirectory(supervisor, 'soak', { isKept: true })
  const stack = await startSoakStack(supervisor, { dir, lane })
  const random = new SeededRandom(seed)
  const parts = await createParts(stack, random)
  console.log(`everything runs after ${formatDuration(performance.now())}; traffic and kills begin`)
  const trafficMs = Math.round(minutes * 60_000)
  const everyMs = KILL_EVERY_MS.map((ms) => ms * Math.min(1, minutes / FULL_MINUTES))
  const [isOver, drawn] = [AbortSignal.timeout(trafficMs), random.fork('kills')]
  const [traffic, kills] = await Promise.all([
    makeTraffic(parts, perSecond, trafficMs),
    killInTurns(stack.killAndRestart, drawParts(drawn), drawn, everyMs, isOver),
  ])
  await parts.endpoints.heal()
  await recoverAll(parts)
  const { account, rows, settleMs } = await settleAndCompare(stack.env, { ...parts, kills })
  const { client, ledger, webhooks, record } = parts
  const { lost, disagreements, twice, explained } = account
  const attempts = rows.deliveries.flatMap(({ log }) => log)
  const answers = record.seen.map(({ status }) => String(status ?? 'not answered'))
  const report = [
    `seed ${seed}, lane ${lane}, ${minutes} min of traffic, settled after ${formatDuration(settleMs)}`,
    `calls: ${traffic.begun} begun, ${traffic.leftOut} left out because too many were open; ${client.repeats} repeats; answers ${count(client.answers)}; the slowest took ${formatDuration(client.slowestMs)}`,
    `changes: ${count(ledger.done)}; ${webhooks.length} webhooks`,
    `events: ${ledger.sent} sent, ${ledger.accepted.size} accepted, ${ledger.uncertain.flat().length} uncertain, ${rows.events.length} rows with test events`,
    `deliveries: ${rows.deliveries.length}: ${count(rows.deliveries.map(endOf))}; ${attempts.length} attempts`,
    `requests received: ${answers.length}: ${count(answers)}`,
    `kills: ${kills.length}: ${count(kills.map(({ part }) => part))}`,
    `delivered twice: ${twice.length}; explained by a kill: ${explained.length}`,
    ...explained.slice(0, SHOWN).map((line) => `  ${line}`),
    ...disagreements.map((line) => `disagreement: ${line}`),
    ...lost.map((line) => `lost: ${line}`),
    `lost ${lost.length}, disagreements ${disagreements.length}`,
  ]
  console.log(`\n${report.join('\n')}`)
  console.log(`the run took ${formatDuration(performance.now())}`)
  return lost.length + disagreements.length === 0 ? 0 : 1
})
