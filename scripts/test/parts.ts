import { build } from '../build.mjs'
import { findBrowser } from '../lib/browser.ts'
import { findDatabase, findMysql } from '../lib/database/find.ts'
import { createContext } from '../lib/find.ts'
import { findKubernetes, findPrometheus } from '../lib/deploy-tools.ts'
import type { OnUpdate, Progress } from '../lib/progress.ts'
import type { Supervisor } from '../lib/supervisor.ts'
import { findTemporal, findTodaysTemporal } from '../lib/temporal/find.ts'
import { provideDatabase, provideTemporal } from '../stack/servers.ts'
import type { Part } from './suites.ts'

/** What tests read in process.env. */
export type Environment = Readonly<Record<string, string>>

/** @returns our environment without the user's own database, which no test may touch */
export function testEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return env
}

/**
 * What the tests of a run share. The servers are launched, or are those that the user names: TEMPORAL_ADDRESS, or
 * TEST_DATABASE_URL, an administrator's URL. DATABASE_URL is never taken, because tests create and drop databases.
 *
 * @param dir for all files of the servers
 * @returns a function that brings parts, each once, and returns the variables by which tests find them; throws when one cannot be had
 */
export function createParts(
  supervisor: Supervisor,
  dir: string,
  { step }: Progress,
): (parts: readonly Part[]) => Promise<Environment> {
  const options = { supervisor, dir, isDurable: false, env: testEnvironment() }
  const { TEST_DATABASE_URL: named, TEMPORAL_NAMESPACE = 'default' } = options.env
  const launch = (folder: string, find: typeof findDatabase, onUpdate: OnUpdate) =>
    provideDatabase({ ...options, name: 'mysql', folder, find, onUpdate })
  async function temporal(find: typeof findTemporal, onUpdate: OnUpdate): Promise<Environment> {
    const { address } = await provideTemporal({ ...options, find, onUpdate })
    return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE }
  }
  const ways: Record<Part, (onUpdate: OnUpdate) => Promise<Environment>> = {
    build: () => build().then(() => ({})),
    database: async (onUpdate) => ({
      TEST_DATABASE_URL: named ?? (await launch('database-A', findDatabase, onUpdate)),
    }),
    MySQL: async (onUpdate) => ({
      TEST_ON_MYSQL: '1',
      TEST_FIRST_ATTEMPT: 'direct',
      TEST_DATABASE_URL: await launch('database-B', findMysql, onUpdate),
    }),
    Temporal: (onUpdate) => temporal(findTemporal, onUpdate),
    'Temporal of today': (onUpdate) => temporal(findTodaysTemporal, onUpdate),
    Prometheus: async (onUpdate) => {
      const { prometheus, promtool } = await findPrometheus(createContext({ onUpdate }))
      return { TEST_PROMETHEUS: prometheus, TEST_PROMTOOL: promtool }
    },
    Helm: async (onUpdate) => {
      const { helm, models } = await findKubernetes(createContext({ onUpdate }))
      return { TEST_HELM: helm, TEST_KUBERNETES_MODELS: models }
    },
    browser: async (onUpdate) => ({ TEST_BROWSER: await findBrowser(createContext({ onUpdate })) }),
  }
  const brought = new Map<Part, Promise<Environment>>()
  function bring(part: Part): Promise<Environment> {
    const environment = brought.get(part) ?? step(part, ways[part])
    brought.set(part, environment)
    return environment
  }
  return async (parts) => Object.assign({}, ...(await Promise.all(parts.map(bring)))) as Environment
}
