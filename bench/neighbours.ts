import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../scripts/build.mjs'
import { waitUntil } from '../scripts/lib/ready.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createNeighbour, publishMany, subscribe } from './support/deliveries.ts'
import { percentile } from './support/figures.ts'
import { inTurns, medianPercentile } from './support/phases.ts'
import { startBenchStack } from './support/stack.ts'

/*
 * What one hung endpoint costs its neighbours: the time from an accepted publish to the request at the endpoint, for
 * webhooks of the same company. Phases without the hung endpoint alternate with phases in which 1,000 deliveries wait for
 * it (`npm run bench:neighbours -- 5000` for more, `-- 200 1` for a single round). So other load of the machine hits both. Takes about
 * three minutes.
 */

const BACKLOG = Number(process.argv[2] ?? 1_000)
const ROUNDS = Number(process.argv[3] ?? 5)
const SECONDS = 12
const HUNG_TYPE = 'deal.created'
const HUNG_PATH = '/hung'
/** Time-out and retry delay of the hung endpoint's attempts: equal, so that first, retried and waiting attempts mix. */
const HANG_SECONDS = 5
const fields = { retry_schedule: [HANG_SECONDS] }

const line = (name: string, values: readonly (string | number)[]): string =>
  name.padEnd(28) + values.map((value) => String(value).padStart(8)).join('')

await runSupervised(async (supervisor) => {
  await build()
  const stack = await startBenchStack(supervisor, { settings: { WEBHOOK_TIMEOUT: `${HANG_SECONDS}s` } })
  const { receiver } = stack
  const { api, measure } = await createNeighbour(stack, { seconds: SECONDS, fields })
  const measureOnce = async () => {
    const { receivedMs } = await measure()
    console.log(`p99 ${percentile(receivedMs, 0.99)} ms`)
    return receivedMs
  }
  /** Hangs an endpoint and queues its backlog. The end deletes its webhook, and gives its deliveries time to be cancelled. */
  const hang = async () => {
    receiver.behave(HUNG_PATH, { hang: true })
    const id = await subscribe(api, receiver, { type: HUNG_TYPE, path: HUNG_PATH, ...fields })
    await publishMany(api, HUNG_TYPE, BACKLOG)
    const retried = `/api-v1-webhooks/${id}/deliveries?status=retrying&limit=1`
    await waitUntil(
      'The first retry of the hung endpoint',
      async () => (await api('GET', retried)).data.length > 0,
    )
    return async () => {
      await api('DELETE', `/api-v1-webhooks/${id}`)
      receiver.behave(HUNG_PATH, undefined)
      await sleep(HANG_SECONDS * 1000)
    }
  }
  await measureOnce()
  const { quiet, attacked } = await inTurns(measureOnce, hang, ROUNDS)
  const [without, hung] = [quiet, attacked].map((rounds) => {
    return [0.5, 0.99].map((share) => medianPercentile(rounds, share))
  })
  console.log(
    `\nAccepted to received, milliseconds, medians over ${ROUNDS} rounds of ${quiet[0]?.length} events`,
  )
  console.log(line('', ['p50', 'p99']))
  console.log(line('without a hung endpoint', without ?? []))
  console.log(line(`with one, backlog ${BACKLOG}`, hung ?? []))
  console.log(
    line('ratio', hung?.map((value, index) => (value / (without?.[index] ?? NaN)).toFixed(2)) ?? []),
  )
  return 0
})
