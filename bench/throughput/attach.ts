import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { Connection } from '@temporalio/client'
import { apiClient } from '../../scripts/demo/http.mjs'
import { findRunning } from '../../scripts/demo/running.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey, createKeyOf } from '../../scripts/stack/company.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { readPeaks, resetPeaks, SERVICE_PARTS } from '../support/figures.ts'
import type { Api } from '../support/stack.ts'
import { countOpen, waitForRecords } from './fixture.ts'
import type { Lane } from './plan.ts'
import { startPrograms, type LoadStack } from './programs.ts'
import { findReceiverPort, keysNeeded, receiverCertificate, requirePlainApi } from './requirements.ts'

/** How long the deliveries of deleted webhooks may take to end. */
const LONGEST_END_MS = 120_000
const RECORDS_MS = 10_000

/**
 * Attaches the benchmark to the service that `npm start` runs. It gets a company and keys of its own. At the end its
 * webhooks are deleted and its keys revoked; the history of its deliveries stays, as that of any customer does.
 *
 * @param dataDir of that service
 * @throws Error that says what to do when nothing runs, or when its settings do not let it be measured
 */
export async function attachToRunning(supervisor: Supervisor, dataDir: string): Promise<LoadStack> {
  const { env: settings, apiUrl, pids: all } = await findRunning(dataDir)
  requirePlainApi(apiUrl)
  const tls = await receiverCertificate(settings, path.join(dataDir, 'receiver'))
  const tlsPort = await findReceiverPort(settings)
  const env = { PATH: process.env['PATH'], ...settings }
  const keyCount = keysNeeded(settings)
  const first = await createKey(env, 'admin:all')
  const { companyId } = first
  const keys = [first]
  while (keys.length < keyCount) keys.push(await createKeyOf(companyId, env, 'admin:all'))
  const api = apiClient(apiUrl, first.key)
  const db = connect(settings['DATABASE_URL'] ?? '')
  // The last one comes first. It needs a key, and each is tried even when the other fails.
  supervisor.onCleanup(async () => {
    for (const { keyId } of keys) await revokeKey(keyId, env)
  })
  supervisor.onCleanup(() => deleteWebhooks(api))
  const programs = await startPrograms({ apiUrl, keys: keys.map(({ key }) => key), tls, tlsPort })
  // With some of the processes missing the cost of an event would look too low.
  const isComplete = SERVICE_PARTS.every((name) => all.has(name))
  const pids = new Map(isComplete ? SERVICE_PARTS.map((name) => [name, all.get(name) ?? 0]) : [])
  const never = () => Promise.reject(new Error('a service that ran before the benchmark keeps its worker'))
  return {
    ...programs,
    isAttached: true,
    pids,
    companyId,
    env,
    apiUrl,
    api,
    db,
    useLane: never,
    lane: (settings['DELIVERY_FIRST_ATTEMPT'] ?? 'workflow') as Lane,
    deadEndpoint: '',
    temporalVersion: await temporalVersion(settings['TEMPORAL_ADDRESS'] ?? ''),
    peaks: () => readPeaks(pids),
    resetPeaks: () => resetPeaks(pids),
    /** Deletes the benchmark's webhooks and waits until no delivery to them is open. */
    async reset() {
      await deleteWebhooks(api)
      const isDone = async () => (await countOpen({ db, companyId })) === 0
      await waitUntil('The end of the deliveries to deleted webhooks', isDone, { timeoutMs: LONGEST_END_MS })
      await waitForRecords({ db, companyId }, RECORDS_MS)
    },
    startWorker: never,
    stopWorker: never,
    startMore: never,
  }
}

/**
 * Revokes a key with the operator's command line. It runs beside the process groups, which start nothing any more once
 * everything is being stopped.
 */
async function revokeKey(id: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['dist/cli.js', 'key', 'revoke', '--id', id, '--json']
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
}

/** Deletes all webhooks of the company, also one whose creation was not answered. */
async function deleteWebhooks(api: Api): Promise<void> {
  for (;;) {
    const { data, error } = await api('GET', '/api-v1-webhooks?limit=100')
    if (error) throw new Error(`The benchmark's webhooks could not be listed: ${error.message}`)
    const webhooks = data as unknown as { id: string }[]
    if (webhooks.length === 0) return
    for (const { id } of webhooks) await api('DELETE', `/api-v1-webhooks/${id}`)
  }
}

async function temporalVersion(address: string): Promise<string> {
  const connection = await Connection.connect({ address })
  try {
    return (await connection.workflowService.getSystemInfo({})).serverVersion
  } finally {
    await connection.close()
  }
}
