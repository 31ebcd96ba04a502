import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { createLog } from '../../src/deps/log.ts'
import { installRuntime } from '../../src/process/temporal/worker.ts'
import { workflowOf } from './crashes.ts'
import type { Stack } from './use-stack.ts'
import type { Json } from './tenants.ts'

const HISTORIES = fileURLToPath(new URL('../histories/', import.meta.url))
const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url))

/** The workers of replays log nothing, because `replay` throws what they find. */
installRuntime(createLog('replay', 'silent'), 'default')

/** Returns a workflow's history as JSON, without the worker's identity and stack traces, which differ by machine. */
async function readHistory(temporal: Client, workflowId: string): Promise<Json> {
  const history = await temporal.workflow.getHandle(workflowId).fetchHistory()
  return withoutMachine(JSON.parse(historyToJSON(history)))
}

const REPLACED: Record<string, string> = { identity: 'worker', stackTrace: '', binaryChecksum: '' }

/** The sticky queue of a worker is named after its process and host. */
const STICKY_QUEUE = /^\d+@.+-([0-9a-f]{32})$/

function withoutMachine(value: Json): Json {
  if (typeof value === 'string') return value.replace(STICKY_QUEUE, 'worker-$1')
  if (Array.isArray(value)) return value.map(withoutMachine)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, inner]) => [
      name,
      name in REPLACED ? REPLACED[name] : withoutMachine(inner),
    ]),
  )
}

/**
 * Replays a history through the workflows of dist/.
 *
 * @throws DeterminismViolationError when the code takes other steps than the history
 */
export async function replay(history: Json, workflowId = 'replayed'): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, history, workflowId)
}

/**
 * Runs many histories through one worker, which starts once.
 *
 * @param histories by their names @returns the names of the histories that fail to replay, each with the reason
 */
export async function findUnreplayable(histories: Readonly<Record<string, Json>>): Promise<string[]> {
  const all = Object.entries(histories).map(([workflowId, history]) => ({ workflowId, history }))
  const faults: string[] = []
  const options = { workflowBundle: { codePath: BUNDLE } }
  for await (const { workflowId, error } of Worker.runReplayHistories(options, all))
    if (error) faults.push(`${workflowId}: ${error.message}`)
  return faults
}

export async function listSavedHistories(): Promise<string[]> {
  const files = await readdir(HISTORIES)
  return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))
}

export const readSavedHistory = async (name: string): Promise<Json> =>
  JSON.parse(await readFile(`${HISTORIES}${name}.json`, 'utf8'))

async function saveHistory(name: string, history: Json): Promise<void> {
  await mkdir(HISTORIES, { recursive: true })
  await writeFile(`${HISTORIES}${name}.json`, `${JSON.stringify(history)}\n`)
}

/**
 * Waits for the end of a workflow and replays it. With SAVE_HISTORIES=v0.2.0 it also writes the history to
 * test/histories under that release. test/system/workflows/replay.test.ts then replays the file in every run.
 */
export async function checkHistory(stack: Stack, kind: string, workflowId: string): Promise<void> {
  await workflowOf(stack, workflowId, ({ status }) => status.name !== 'RUNNING')
  const history: unknown = await readHistory(stack.temporal, workflowId)
  await replay(history, workflowId)
  const release = process.env['SAVE_HISTORIES']
  if (release) await saveHistory(`${release}_${kind}`, history)
}
