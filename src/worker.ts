import { checkCaFile } from './config/files.ts'
import { configOrExit, listenForStop, runProcess } from './process/run-process.ts'
import { createLog } from './deps/log.ts'
import { runWorker } from './run-worker.ts'

const config = configOrExit(checkCaFile)
const log = createLog('worker', config.logLevel)

/** The worker process. It works until it gets a signal to stop or a Temporal worker ends. Then it finishes the work under way. */
runProcess(log, async () => {
  const { stopped, booted } = listenForStop(log)
  const worker = await runWorker({ config, log, onBooted: booted })
  const reason = await Promise.race([stopped, worker.ended.then(() => 'the Temporal worker ended')])
  await worker.stop(reason)
})
