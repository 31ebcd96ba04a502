import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { cli } from '../demo/seed.mjs'
import { findDatabase } from '../lib/database/find.mjs'
import { launchDatabase } from '../lib/database/launch.mjs'
import { createContext } from '../lib/find.mjs'

/**
 * Launches and migrates a database server of its own, durable as in production.
 *
 * @param {import('../lib/supervisor.mjs').Supervisor} supervisor
 * @param {string} dir
 * @param {number} port
 * @returns {Promise<NodeJS.ProcessEnv>} what the command line and the servers are started with
 */
export async function prepareDatabase(supervisor, dir, port) {
  const context = createContext({ env: { PATH: process.env.PATH }, onUpdate: () => undefined })
  const url = await launchDatabase({
    supervisor,
    found: await findDatabase(context),
    dir: path.join(dir, 'database'),
    port,
    password: randomBytes(16).toString('hex'),
    isDurable: true,
    logFile: path.join(dir, 'database.log'),
    env: context.env,
  })
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: `${url}bench`,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_PER_MINUTE: '100000000',
    LOG_LEVEL: 'warn',
  }
  await cli(['migrate'], env)
  return env
}

/**
 * Makes a company with one key.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} scopes separated by commas
 * @returns {Promise<{ companyId: string, key: string, keyId: string }>}
 */
export async function createKey(env, scopes) {
  const { id } = await cli(['company', 'create', '--name', 'Benchmark'], env)
  return { companyId: id, ...(await createKeyOf(id, env, scopes)) }
}

/**
 * Makes one more key of a company.
 *
 * @param {string} companyId
 * @param {NodeJS.ProcessEnv} env
 * @param {string} scopes separated by commas
 * @returns {Promise<{ key: string, keyId: string }>}
 */
export async function createKeyOf(companyId, env, scopes) {
  const args = ['key', 'create', '--company', companyId, '--name', 'Benchmark', '--scopes', scopes]
  const { id: keyId, key } = await cli(args, env)
  return { key, keyId }
}
