import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { apiClient } from '../../demo/http.mjs'
import { findRunning } from '../../demo/running.mjs'
import { ROOT } from '../../lib/paths.mjs'
import { waitUntil } from '../../lib/ready.mjs'
import { createKey, createKeyOf } from '../../stack/company.ts'
import { makeDirectory } from '../../stack/stack.ts'
import { countOpen, waitForRecords } from './fixture.mjs'
import { readPeaks, resetPeaks, SERVICE_PARTS } from './processes.mjs'
import { startPrograms } from './programs.mjs'
import { findReceiverPort, keysNeeded, receiverCertificate, requirePlainApi } from './requirements.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('../../lib/supervisor.mjs').Supervisor} Supervisor
 */

/** How long the deliveries of deleted webhooks may take to end. */
const LONGEST_END_MS = 120_000
const RECORDS_MS = 10_000

/**
 * Attaches the benchmark to the service that `npm start` runs. It gets a company and keys of its own. At the end its
 * webhooks are deleted and its keys revoked; the history of its deliveries stays, as that of any customer does.
 *
 * @param {Supervisor} supervisor
 * @param {string} dataDir of that service
 * @returns {Promise<BenchStack>}
 * @throws {Error} that says what to do when nothing runs, or when its settings do not let it be measured
 */
export async function attachToRunning(supervisor, dataDir) {
  const { env: settings, apiUrl, pids: all } = await findRunning(dataDir)
  requirePlainApi(apiUrl)
  const tls = await receiverCertificate(settings, path.join(dataDir, 'receiver'))
  const tlsPort = await findReceiverPort(settings)
  const keyCount = keysNeeded(settings)
  const env = { PATH: process.env.PATH, ...settings }
  const dir = await makeDirectory(supervisor, 'bench-running')
  const keys = await createKeys(env, keyCount)
  const { companyId, first } = keys
  const api = apiClient(apiUrl, first)
  const { connect } = await import('../../../src/db/connection/connection.ts')
  const db = connect(settings.DATABASE_URL ?? '')
  // The last one comes first. It needs a key, and each is tried even when the other fails.
  supervisor.onCleanup(async () => {
    for (const id of keys.ids) await revokeKey(id, env)
  })
  supervisor.onCleanup(() => deleteWebhooks(api))
  const programs = await startPrograms(supervisor, { dir, apiUrl, keys: keys.texts, tls, tlsPort })
  // With some of the processes missing the cost of an event would look too low.
  const isComplete = SERVICE_PARTS.every((name) => all.has(name))
  const pids = new Map(isComplete ? SERVICE_PARTS.map((name) => [name, all.get(name) ?? 0]) : [])
  const never = () => Promise.reject(new Error('a service that ran before the benchmark keeps its worker'))
  return {
    isAttached: true,
    pids,
    companyId,
    env,
    api,
    db,
    ...programs,
    useLane: () => Promise.resolve(),
    lane: settings.DELIVERY_FIRST_ATTEMPT ?? 'workflow',
    deadEndpoint: '',
    temporalVersion: await temporalVersion(settings.TEMPORAL_ADDRESS ?? ''),
    peaks: () => readPeaks(pids),
    resetPeaks: () => resetPeaks(pids),
    reset: () => endWork({ api, db, companyId }),
    startWorker: never,
    stopWorker: never,
  }
}

/** @param {NodeJS.ProcessEnv} env @param {number} count @returns {Promise<{ companyId: string, first: string, texts: string[], ids: string[] }>} */
async function createKeys(env, count) {
  const { companyId, ...first } = await createKey(env, 'admin:all')
  const made = [first]
  while (made.length < count) made.push(await createKeyOf(companyId, env, 'admin:all'))
  const [texts, ids] = [made.map(({ key }) => key), made.map(({ keyId }) => keyId)]
  return { companyId, first: first.key, texts, ids }
}

/**
 * Revokes a key with the operator's command line. It runs beside the process groups, which start nothing any more once
 * everything is being stopped.
 *
 * @param {string} id
 * @param {NodeJS.ProcessEnv} env
 */
async function revokeKey(id, env) {
  const args = ['dist/cli.js', 'key', 'revoke', '--id', id, '--json']
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
}

/**
 * Deletes the benchmark's webhooks and waits until no delivery to them is open.
 *
 * @param {Pick<BenchStack, 'api' | 'db' | 'companyId'>} stack
 */
async function endWork({ api, db, companyId }) {
  await deleteWebhooks(api)
  await waitUntil(
    'The end of the deliveries to deleted webhooks',
    async () => (await countOpen({ db, companyId })) === 0,
    {
      timeoutMs: LONGEST_END_MS,
    },
  )
  await waitForRecords({ db, companyId }, RECORDS_MS)
}

/** Deletes all webhooks of the company, also one whose creation was not answered. @param {BenchStack['api']} api */
async function deleteWebhooks(api) {
  for (;;) {
    const { data, error } = await api('GET', '/api-v1-webhooks?limit=100')
    if (error) throw new Error(`The benchmark's webhooks could not be listed: ${error.message}`)
    if (data.length === 0) return
    for (const { id } of data) await api('DELETE', `/api-v1-webhooks/${id}`)
  }
}

/** @param {string} address of the server @returns {Promise<string>} */
async function temporalVersion(address) {
  const { Connection } = await import('@temporalio/client')
  const connection = await Connection.connect({ address })
  try {
    return (await connection.workflowService.getSystemInfo({})).serverVersion
  } finally {
    await connection.close()
  }
}
