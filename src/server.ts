import { checkTlsFiles } from './config/files.ts'
import { configOrExit, listenForStop, runProcess } from './process/run-process.ts'
import { createLog } from './deps/log.ts'
import { runApi } from './run-api.ts'

const config = configOrExit(checkTlsFiles)
const log = createLog('api', config.logLevel)

/** The API process: answers until it is told to stop, then finishes what it began. */
runProcess(log, async () => {
  const { stopped, booted } = listenForStop(log)
  const api = await runApi({ config, log, onBooted: booted })
  await stopped
  await api.stop()
})
