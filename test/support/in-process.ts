import path from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { freePorts } from '../../scripts/lib/ports.ts'
import { checkCaFile, checkTlsFiles } from '../../src/config/files.ts'
import { readConfig } from '../../src/config/index.ts'
import type { RunOptions } from '../../src/process/boot.ts'
import { createLog } from '../../src/deps/log.ts'
import { keepOutput, type RunningPart } from './running-parts.ts'

export type PartKind = 'server' | 'worker'

const BUILD_DIR = path.join(ROOT, 'dist')

/** How an api and a worker differ. Each module is loaded at its first use, because the worker's SDK is large. */
const KINDS = {
  server: {
    service: 'api',
    portVariable: 'PORT',
    checkFiles: checkTlsFiles,
    run: async (options: RunOptions) => (await import('../../src/run-api.ts')).runApi(options),
  },
  worker: {
    service: 'worker',
    portVariable: 'WORKER_PORT',
    checkFiles: checkCaFile,
    run: async (options: RunOptions) => {
      const worker = await (await import('../../src/run-worker.ts')).runWorker(options)
      worker.ended.catch((error: unknown) => options.log.fatal({ err: error }, 'the Temporal worker ended'))
      return { stop: () => worker.stop('the test') }
    },
  },
} as const

/**
 * Runs an api (`server`) or a worker in the process of the test, on its environment's port or a free one, and waits
 * until it is ready. That costs a twentieth of a boot. A test cannot kill it: see startProcess.
 */
export async function startInProcess(
  kind: PartKind,
  environment: Record<string, string>,
): Promise<RunningPart> {
  const { service, portVariable, checkFiles, run } = KINDS[kind]
  const port = environment[portVariable] ?? String((await freePorts([0]))[0])
  const config = readConfig({ ...environment, [portVariable]: port }, checkFiles)
  const lines: string[] = []
  const output = () => lines.join('')
  const log = createLog(service, config.logLevel, { write: (line) => void lines.push(line) })
  const ended = keepOutput(service, output)
  const running = await run({ config, log, buildDir: BUILD_DIR })
  async function stop(): Promise<number> {
    await running.stop().finally(ended)
    // Its work goes on in this process, so a later test would be blamed for its errors.
    if (output().includes('SHUTDOWN_GRACE is over')) throw new Error('work was cut: let a process be cut')
    return 0
  }
  let stopping: Promise<number> | undefined
  return { url: `http://127.0.0.1:${port}`, output, stop: () => (stopping ??= stop()) }
}
