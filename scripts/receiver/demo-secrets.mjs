import { readConfig } from '../../src/config/index.ts'
import { buildDeps } from '../../src/deps/deps.ts'
import { openSecret } from '../../src/domain/webhook/webhook.ts'

/**
 * Looks up signing secrets in the database of `npm start`, so that its receiver can verify the deliveries of any webhook.
 * For development only: a real endpoint is given its secret once, when the webhook is created.
 *
 * @param {NodeJS.ProcessEnv} env with the settings of the service
 * @param {readonly string[]} origins how the receiver is reached, such as https://127.0.0.1:3002
 * @returns {(path: string) => Promise<string[]>} the secrets of all webhooks whose URL leads to the path, of whichever
 *   company; never print them
 */
export function createSecretLookup(env, origins) {
  const { db, config } = buildDeps(readConfig(env), 'api', undefined)
  const isHere = (/** @type {string} */ url, /** @type {string} */ path) => {
    const { origin, pathname } = new URL(url)
    return origins.includes(origin) && pathname === path
  }
  return async (path) => {
    const rows = await db('webhooks')
      .whereNull('deleted_at')
      .where((either) => origins.forEach((origin) => either.orWhere('url', 'like', `${origin}%`)))
      .select('id', 'company_id', 'url', 'secret_sealed')
    return rows
      .filter(({ url }) => isHere(url, path))
      .map(({ id, company_id: companyId, secret_sealed: sealed }) =>
        openSecret(config.secretsKeys, companyId, id, sealed),
      )
  }
}
