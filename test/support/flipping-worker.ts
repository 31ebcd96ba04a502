import { readFileSync } from 'node:fs'
import { Client } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { createActivities } from '../../src/activities/index.ts'
import { Attempts } from '../../src/attempts/attempt-delivery.ts'
import { AttemptLog } from '../../src/attempts/attempt-log.ts'
import { AttemptStats } from '../../src/attempts/attempt-stats.ts'
import { Recorder } from '../../src/attempts/recorder.ts'
import { Slots } from '../../src/attempts/slots.ts'
import { readConfig } from '../../src/config/index.ts'
import { waitFor } from '../../src/process/boot.ts'
import { buildDeps, type Deps } from '../../src/process/deps.ts'
import { createLog } from '../../src/process/log.ts'
import { Registration } from '../../src/process/temporal/registration.ts'
import { connectNatively, installRuntime } from '../../src/process/temporal/worker.ts'
import type { MakerOfFirstAttempts } from '../../src/relay/first-attempts.ts'
import { Relay } from '../../src/relay/relay.ts'
import { createHostResolver } from '../../src/sending/host-resolver.ts'
import { HttpSender } from '../../src/sending/http-sender.ts'
import { attemptTimes, TASK_QUEUE } from '../../src/workflows/contract.ts'
import { newLimits } from './endpoint-limits.ts'
import type { Stack } from './stack.ts'

const SLOTS_OF_WEBHOOK = 10
const SLOTS_IN_ALL = 300
const CONNECT_TIMEOUT_MS = 5_000

/** Gives the other answer in each period, and counts how often the relay saw it change. */
export class FlippingMaker implements MakerOfFirstAttempts {
  readonly #periodMs: number
  #latest = false
  changes = 0

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  isDirect(): boolean {
    const isDirect = Math.floor(performance.now() / this.#periodMs) % 2 === 1
    if (isDirect !== this.#latest) this.changes += 1
    this.#latest = isDirect
    return isDirect
  }

  takes(): boolean {
    return this.isDirect()
  }
}

/**
 * A worker in the test's own process, of the parts that src/worker.ts uses: relay, attempts and Temporal worker. The test
 * says who makes first attempts. Use it once in a process, and with a stack without workers.
 */
export async function startWorkerWith(
  { environment }: Stack,
  firstAttempts: MakerOfFirstAttempts,
): Promise<{ stop(): Promise<void> }> {
  const config = readConfig({ ...environment, LOG_LEVEL: 'error' })
  installRuntime(createLog('worker', config.logLevel))
  const connection = await connectNatively(config)
  const { namespace } = config.temporal
  const client = new Client({ connection, namespace })
  const deps = buildDeps(config, 'worker', client)
  const registration = new Registration({ connection, client, namespace, log: deps.log })
  await waitFor('Temporal', deps.log, () => registration.prepare())
  const { attempts, recorder, slots, limits, sender, attemptLog } = createAttempts(deps)
  const worker = await Worker.create({
    ...{ connection, namespace, taskQueue: TASK_QUEUE },
    activities: createActivities(deps, attempts),
    workflowBundle: { codePath: 'dist/workflow-bundle.js' },
  })
  const working = worker.run()
  const relay = new Relay(deps, {
    owner: 'wrk_flipping',
    leaseMs: attemptTimes(config).startToCloseMs,
    ...{ slots, limits, attempts, firstAttempts },
    isPaused: () => recorder.isStuck(),
    searchAttributes: () => registration.searchAttributes(),
  })
  relay.start()
  return {
    async stop() {
      await relay.stop()
      worker.shutdown()
      await working
      await sender.close()
      attemptLog.stop()
      deps.doorbell.close()
      await Promise.all([deps.db.destroy(), deps.batchDb.destroy()])
      await connection.close()
    },
  }
}

function createAttempts(deps: Deps) {
  const { webhookTimeoutMs, webhookAllowedNetworks, webhookCaFile } = deps.config
  const slotsOf = (limit: number) =>
    new Slots({ limit: () => limit, capacity: SLOTS_IN_ALL, now: () => performance.now() })
  const [slots, testSlots] = [slotsOf(SLOTS_OF_WEBHOOK), slotsOf(2)]
  const attemptLog = new AttemptLog(deps.log)
  const limits = newLimits(deps)
  const recorder = new Recorder(deps, { attemptLog, limits, stats: new AttemptStats(deps) })
  const sender = new HttpSender({
    timeoutMs: webhookTimeoutMs,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, webhookTimeoutMs),
    allowedNetworks: webhookAllowedNetworks,
    resolver: createHostResolver(),
    maximumIdle: SLOTS_IN_ALL,
    ca: readFileSync(webhookCaFile!, 'utf8'),
  })
  const attempts = new Attempts(deps, { sender, recorder, attemptLog, slots, limits, testSlots })
  return { attempts, recorder, slots, limits, sender, attemptLog }
}
