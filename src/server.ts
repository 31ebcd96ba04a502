import { checkTlsFiles } from './config/files.ts'
import { configOrExit, listenForStop, runProcess } from './process/run-process.ts'
import { createLog } from './deps/log.ts'
import { runApi } from './run-api.ts'

const config = configOrExit(checkTlsFiles)
const log = createLog('api', config.logLevel)

/** The api process. It answers until it gets a signal to stop. Then it finishes the requests under way. */
runProcess(log, async () => {
  const { stopped, booted } = listenForStop(log)
  const api = await runApi({ config, log, onBooted: booted })
  await stopped
  await api.stop()
})
