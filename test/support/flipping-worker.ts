import { readFileSync } from 'node:fs'
import { Client } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { createActivities } from '../../src/activities/index.js'
import { Attempts } from '../../src/attempts/attempt-delivery.js'
import { AttemptLog } from '../../src/attempts/attempt-log.js'
import { AttemptStats } from '../../src/attempts/attempt-stats.js'
import { Recorder } from '../../src/attempts/recorder.js'
import { Slots } from '../../src/attempts/slots.js'
import { readConfig } from '../../src/config/index.js'
import { waitFor } from '../../src/process/boot.js'
import { buildDeps, type Deps } from '../../src/process/deps.js'
import { createLog } from '../../src/process/log.js'
import { Registration } from '../../src/process/temporal/registration.js'
import { connectNatively, installRuntime } from '../../src/process/temporal/worker.js'
import type { MakerOfFirstAttempts } from '../../src/relay/first-attempts.js'
import { Relay } from '../../src/relay/relay.js'
import { createHostResolver } from '../../src/sending/host-resolver.js'
import { HttpSender } from '../../src/sending/http-sender.js'
import { attemptTimes, TASK_QUEUE } from '../../src/workflows/contract.js'
import { newLimits } from './endpoint-limits.js'
import type { Stack } from './stack.js'

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
