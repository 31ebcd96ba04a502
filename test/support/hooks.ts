import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import path from 'node:path'
import type { FileCost } from '../../scripts/test/mocha.ts'
import { folderOf } from '../../scripts/test/suites.ts'
import { bootsSoFar } from './environment.ts'
import { checkKept, stopKept } from './kept.ts'
import { forgetOutputs, writeOutputs } from './running-parts.ts'

/** The time within which the stacks that files share must end. */
const STOP_WITHIN_MS = 60_000

let folder: string | undefined
let begun = { at: 0, cpuS: 0, boots: 0 }

/**
 * Runs once, before the first file, without a time-out. Makes the schema that every database of a test copies, because
 * the migrations take longer on a busy machine than a hook of a test may.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const serverUrl = process.env['TEST_DATABASE_URL']
  if (!serverUrl) return
  const { writeMigratedSchema } = await import('./migrated-schema.ts')
  await writeMigratedSchema(serverUrl)
}

/**
 * Hooks of mocha for all tests. In parallel runs mocha calls the first and the last hook for each file. Shared stacks
 * stay up for the next file of the same folder, or end with the process.
 */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    this.timeout(STOP_WITHIN_MS)
    const next = folderOf(this.test?.parent?.suites[0]?.file)
    if (folder !== undefined && folder !== next) await stopKept()
    folder = next
    begun = now()
  },
  async afterEach(this: Mocha.Context): Promise<void> {
    nameCause(this.currentTest?.err)
    await writeLogsOf(this.currentTest)
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(STOP_WITHIN_MS)
    const all = this.test?.parent
    await Promise.all((all === undefined ? [] : hooksOf(all)).map(writeLogsOf))
    await (process.env['MOCHA_WORKER_ID'] === undefined ? stopKept() : checkKept())
    forgetOutputs()
    // For processes that start while this process runs.
    flushCompileCache()
    writeCost()
  },
}

/** Appends the cause to an error whose message says little, such as «fetch failed». */
function nameCause(error: Error | undefined): void {
  if (error?.cause === undefined) return
  const { code, message } = error.cause as { code?: string; message?: string }
  const cause = ` (${[code, message].filter(Boolean).join(' ')})`
  error.stack = error.stack?.replace(error.message, error.message + cause) ?? ''
  error.message += cause
}

function writeCost(): void {
  const file = process.env['TEST_COSTS_FILE']
  if (!file) return
  const { at, cpuS, boots } = now()
  const spent = { cpuS: cpuS - begun.cpuS, boots: boots - begun.boots }
  const cost: FileCost = { folder: folder ?? '', fromMs: begun.at, toMs: at, ...spent }
  appendFileSync(file, `${JSON.stringify(cost)}\n`)
}

const now = () => ({ at: Date.now(), cpuS: cpuSeconds(), boots: bootsSoFar() })

/** CPU time of this process, and on Linux of its ended children: proc_pid_stat(5), fields 14 to 17, in 10 ms. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  if (!existsSync('/proc/self/stat')) return (user + system) / 1_000_000
  const [, fields = ''] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? []
  return fields
    .split(' ')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}

async function writeLogsOf(test: Pick<Mocha.Runnable, 'state' | 'file'> | undefined): Promise<void> {
  const dir = process.env['TEST_LOGS_DIR']
  const { state, file = 'unknown' } = test ?? {}
  if (dir && state === 'failed') await writeOutputs(path.join(dir, path.basename(file, '.ts')))
}

type WithHooks = { getHooks(name: string): readonly Mocha.Hook[] }

/** @returns all hooks of a suite and of its inner suites, because mocha calls no afterEach for a hook that failed */
const hooksOf = (suite: Mocha.Suite): readonly Mocha.Hook[] => [
  ...['beforeAll', 'beforeEach'].flatMap((name) => (suite as unknown as WithHooks).getHooks(name)),
  ...suite.suites.flatMap(hooksOf),
]
