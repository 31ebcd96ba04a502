import { Client } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { createActivities } from '../../src/activities/index.ts'
import { createAttemptParts } from '../../src/attempts/attempt-parts.ts'
import { readConfig } from '../../src/config/index.ts'
import { waitFor } from '../../src/process/boot.ts'
import { buildDeps } from '../../src/process/deps.ts'
import { createLog } from '../../src/process/log.ts'
import { Registration } from '../../src/process/temporal/registration.ts'
import { connectNatively, installRuntime } from '../../src/process/temporal/worker.ts'
import type { MakerOfFirstAttempts } from '../../src/relay/first-attempts.ts'
import { Relay } from '../../src/relay/relay.ts'
import { attemptTimes, TASK_QUEUE } from '../../src/workflows/contract.ts'
import type { Stack } from './stack.ts'

const ROOM = { attempts: 300, tests: 300, idleConnections: 300 }

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
 * A worker in the test's own process, of the parts that src/run-worker.ts uses: relay, attempts and Temporal worker. The test
 * says who makes first attempts. Use it with a stack without workers.
 */
export async function startWorkerWith(
  { environment }: Stack,
  firstAttempts: MakerOfFirstAttempts,
): Promise<{ stop(): Promise<void> }> {
  const config = readConfig({ ...environment, LOG_LEVEL: 'error' })
  const { namespace } = config.temporal
  installRuntime(createLog('worker', config.logLevel), namespace)
  const connection = await connectNatively(config)
  const client = new Client({ connection, namespace })
  const deps = buildDeps(config, 'worker', client)
  const registration = new Registration({ connection, client, namespace, log: deps.log })
  await waitFor('Temporal', deps.log, () => registration.prepare())
  const { attempts, recorder, slots, limits, sender, attemptLog } = createAttemptParts(deps, {
    liveWorkers: () => 1,
    room: ROOM,
  })
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
