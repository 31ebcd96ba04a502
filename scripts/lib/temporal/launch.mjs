import { httpAnswers, waitUntil } from '../ready.mjs'

/** The attributes to search workflows by. The worker registers them too, for servers that were not launched here. */
export const SEARCH_ATTRIBUTES = ['WebhookId', 'CompanyId', 'EventType', 'EventId', 'Environment']

/** The same as in deploy/temporal/dynamic-config.yaml. */
export const DYNAMIC_CONFIG = {
  // Off by default before server 1.32; saves a round trip for each activity.
  'system.enableActivityEagerExecution': true,
  // By default a timer of less than a second waits a full second (docs/decisions, Delays under 1 s).
  'history.timerProcessorMaxTimeShift': '50ms',
}

/** Go collects once its heap has grown fivefold, not twofold: the server of a test run computes 8 % less. */
const RARELY = '400'

/**
 * Launches Temporal's development server on loopback and waits until its default namespace answers.
 *
 * @param {object} options
 * @param {import('../supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.executable
 * @param {string} options.databaseFile SQLite file with all state
 * @param {{ grpc: number, http: number, metrics: number, ui?: number }} options.ports without ui no UI is served
 * @param {boolean} options.isDurable false (tests): a commit may be lost when the machine dies
 * @param {string} options.logFile
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {Promise<{ address: string, pid: number, answers: () => Promise<boolean> }>} address: host:port; answers:
 *   whether it still reads its store
 */
export async function launchTemporal({
  supervisor,
  executable,
  databaseFile,
  ports,
  isDurable,
  logFile,
  env,
}) {
  const args = [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--log-level',
    'warn',
    '--db-filename',
    databaseFile,
  ]
  // Without these options the server derives the last three ports or picks them at random, and two servers may collide.
  args.push('--port', `${ports.grpc}`, '--http-port', `${ports.http}`, '--metrics-port', `${ports.metrics}`)
  args.push(...(ports.ui === undefined ? ['--headless'] : ['--ui-port', `${ports.ui}`]))
  for (const name of SEARCH_ATTRIBUTES) args.push('--search-attribute', `${name}=Keyword`)
  for (const [name, value] of Object.entries(DYNAMIC_CONFIG)) {
    args.push('--dynamic-config-value', `${name}=${JSON.stringify(value)}`)
  }
  const pragmas = isDurable ? ['journal_mode=WAL'] : ['synchronous=OFF', 'journal_mode=WAL']
  for (const pragma of pragmas) args.push('--sqlite-pragma', pragma)
  const pid = supervisor.start({
    name: 'temporal',
    command: executable,
    args,
    graceMs: 15_000,
    logFile,
    env: isDurable ? env : { GOGC: RARELY, ...env },
  })
  const namespaceUrl = `http://127.0.0.1:${ports.http}/api/v1/namespaces/default`
  const answers = () => httpAnswers(namespaceUrl)
  await waitUntil('Temporal', answers)
  return { address: `127.0.0.1:${ports.grpc}`, pid, answers }
}
