import { lastLines, run } from '../lib/commands.mjs'
import { ROOT } from '../lib/paths.mjs'
import { readJson, writePrivate } from '../lib/private-files.mjs'
import { apiClient } from './http.mjs'

/** @typedef {{ id: string }} DemoWebhook @typedef {{ companyId: string, key: string, webhooks: Record<string, DemoWebhook> }} Demo */

/** The demo's two endpoints: one that always takes its events, one that fails each event twice (receiver/fixed-paths). */
export const PATHS = { healthy: '/healthy', flaky: '/fails-twice' }

const NAMES = { healthy: 'Demo: healthy endpoint', flaky: 'Demo: fails each event twice' }

/**
 * Runs the operator's command line.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<any>} its JSON document
 * @throws {Error} with what it said
 */
export async function cli(args, env) {
  const { code, output } = await run(process.execPath, ['dist/cli.js', ...args, '--json'], { cwd: ROOT, env })
  if (code !== 0) throw new Error(`"cli ${args.slice(0, 2).join(' ')}" failed:\n${lastLines(output)}`)
  return JSON.parse(output)
}

/**
 * Makes sure that the demo's company, key and webhooks exist and work. They are remembered in a file and made anew
 * only when they are gone.
 *
 * @param {{ file: string, apiUrl: string, receiverPort: number, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Demo>}
 */
export async function seedDemo({ file, apiUrl, receiverPort, env }) {
  const known = await readJson(file)
  const works =
    known.key !== undefined && (await apiClient(apiUrl, known.key)('GET', '/api-v1-webhooks')).status === 200
  const { companyId, key } = works ? known : await makeKey(known.companyId, env)
  const demo = { companyId, key, webhooks: companyId === known.companyId ? (known.webhooks ?? {}) : {} }
  await writePrivate(file, JSON.stringify(demo, null, 2))
  for (const name of /** @type {Array<keyof typeof PATHS>} */ (Object.keys(PATHS))) {
    const url = `https://127.0.0.1:${receiverPort}${PATHS[name]}`
    demo.webhooks[name] = await ensureWebhook(apiClient(apiUrl, key), demo.webhooks[name], NAMES[name], url)
    await writePrivate(file, JSON.stringify(demo, null, 2))
  }
  return demo
}

/** @param {string | undefined} knownCompanyId @param {NodeJS.ProcessEnv} env */
async function makeKey(knownCompanyId, env) {
  const create = (/** @type {string} */ companyId) =>
    cli(['key', 'create', '--company', companyId, '--name', 'Demo key', '--scopes', 'admin:all'], env)
  const again = knownCompanyId === undefined ? undefined : await create(knownCompanyId).catch(() => undefined)
  if (again) return { companyId: knownCompanyId, key: again.key }
  const { id } = await cli(['company', 'create', '--name', 'Demo company'], env)
  return { companyId: id, key: (await create(id)).key }
}

/**
 * @param {ReturnType<typeof apiClient>} api
 * @param {DemoWebhook | undefined} known
 * @param {string} name
 * @param {string} url
 * @returns {Promise<DemoWebhook>}
 */
async function ensureWebhook(api, known, name, url) {
  if (known) {
    // The receiver may have got another port since.
    const { status } = await api('PATCH', `/api-v1-webhooks/${known.id}`, { url, is_active: true })
    if (status === 200) return { id: known.id }
  }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', {
    name,
    url,
    events: ['contact.created'],
  })
  if (status !== 201) throw new Error(`The demo webhook ${url} was refused: ${error?.code} ${error?.message}`)
  return { id: data.id }
}
