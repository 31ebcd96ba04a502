import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.mjs'
import { findDatabase, findMysql } from '../lib/database/find.ts'
import { endLeftovers, isRunning, processIdentity, recordGroupsIn } from '../lib/processes.ts'
import type { OnUpdate, Progress } from '../lib/progress.ts'
import type { Supervisor } from '../lib/supervisor.ts'
import { findTemporal, findTodaysTemporal } from '../lib/temporal/find.ts'
import { findBrowser, findKubernetes, findPrometheus } from '../lib/test-tools.ts'
import { provideDatabase, provideTemporal } from '../stack/servers.ts'

/** What tests read in process.env. */
export type Environment = Readonly<Record<string, string>>

/** @returns our environment without the user's own database, which no test may touch */
export function testEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return env
}

const NAME = /^sales-data-webhooks-test-(\d+)-(.+)$/
const RECORD = 'children.jsonl'

/**
 * Makes a directory for the servers' files. Its name holds the identity of this process. On every exit the processes that killed
 * programs of tests left behind are ended, and the directory is removed. First does the same for runs that were killed.
 */
export async function makeTestDirectory(supervisor: Pick<Supervisor, 'onCleanup'>): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, startedAt = ''] = NAME.exec(name) ?? []
    if (pid === undefined || isRunning({ pid: Number(pid), startedAt: decodeURIComponent(startedAt) }))
      continue
    await removeDirectory(path.join(tmpdir(), name))
  }
  const { pid, startedAt } = processIdentity(process.pid)
  const dir = path.join(tmpdir(), `sales-data-webhooks-test-${pid}-${encodeURIComponent(startedAt)}`)
  await mkdir(dir, { mode: 0o700 })
  supervisor.onCleanup(() => removeDirectory(dir))
  recordGroupsIn(path.join(dir, RECORD))
  return dir
}

/** @param dir of a run whose own processes have ended */
async function removeDirectory(dir: string): Promise<void> {
  await endLeftovers(path.join(dir, RECORD))
  await rm(dir, { recursive: true, force: true })
}

/** What the runner has ready before a test that needs it begins. */
export type Part = keyof ReturnType<typeof waysTo>

/** How each part is brought. A way returns the variables by which tests find it. */
function waysTo(supervisor: Supervisor, dir: string) {
  const options = { supervisor, dir, isDurable: false, env: testEnvironment() }
  const { TEST_DATABASE_URL: named, TEMPORAL_NAMESPACE = 'default' } = options.env
  const database = (folder: string, find: typeof findDatabase, onUpdate: OnUpdate) =>
    provideDatabase({ ...options, name: 'mysql', folder, find, onUpdate })
  const temporal = (find: typeof findTemporal) => async (onUpdate: OnUpdate) => {
    const { address } = await provideTemporal({ ...options, find, onUpdate })
    return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE }
  }
  return {
    build: () => build().then(() => ({})),
    database: async (onUpdate: OnUpdate) => ({
      TEST_DATABASE_URL: named ?? (await database('database-A', findDatabase, onUpdate)),
    }),
    MySQL: async (onUpdate: OnUpdate) => ({
      TEST_ON_MYSQL: '1',
      TEST_FIRST_ATTEMPT: 'direct',
      TEST_DATABASE_URL: await database('database-B', findMysql, onUpdate),
    }),
    Temporal: temporal(findTemporal),
    'Temporal of today': temporal(findTodaysTemporal),
    Prometheus: async (onUpdate: OnUpdate) => {
      const { prometheus, promtool } = await findPrometheus({ onUpdate })
      return { TEST_PROMETHEUS: prometheus, TEST_PROMTOOL: promtool }
    },
    Helm: async (onUpdate: OnUpdate) => {
      const { helm, models } = await findKubernetes({ onUpdate })
      return { TEST_HELM: helm, TEST_KUBERNETES_MODELS: models }
    },
    browser: async (onUpdate: OnUpdate) => ({ TEST_BROWSER: await findBrowser({ onUpdate }) }),
  }
}

/**
 * What the tests of a run share. The servers are launched, or are those that the user names: TEMPORAL_ADDRESS, or
 * TEST_DATABASE_URL, an administrator's URL. DATABASE_URL is never taken, because tests create and drop databases.
 *
 * @param dir for all files of the servers
 * @returns a function that brings parts, each once, and returns their variables; throws when one cannot be had
 */
export function createParts(supervisor: Supervisor, dir: string, { step }: Progress) {
  const ways = waysTo(supervisor, dir)
  const brought = new Map<Part, Promise<Environment>>()
  function bring(part: Part): Promise<Environment> {
    const environment = brought.get(part) ?? step<Environment>(part, ways[part])
    brought.set(part, environment)
    return environment
  }
  return async (parts: readonly Part[]) =>
    Object.assign({}, ...(await Promise.all(parts.map(bring)))) as Environment
}
