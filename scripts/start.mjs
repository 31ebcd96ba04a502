import path from 'node:path'
import { parseArgs } from 'node:util'
import { build, ensurePackages } from './build.mjs'
import { addSettings, readSettings } from './lib/file-settings.mjs'
import { releaseLock, takeLock } from './lib/lock.ts'
import { DATA_DIR, ROOT } from './lib/paths.mjs'
import { readJson, writePrivate } from './lib/private-files.ts'
import { endLeftovers, processIdentity, recordGroupsIn } from './lib/processes.ts'
import { createProgress } from './lib/progress.ts'
import { waitUntil } from './lib/ready.ts'
import { runSupervised } from './lib/supervisor.ts'

/** `npm start -- --data DIR` keeps data in DIR instead of .data; each such directory is a service of its own. */
const { values } = parseArgs({ options: { data: { type: 'string', default: DATA_DIR } } })
const dataDir = path.resolve(values.data)
const LOCK = path.join(dataDir, 'start.lock')
const CHILDREN = path.join(dataDir, 'children.jsonl')

const progress = createProgress()

await runSupervised(async (supervisor) => {
  addSettings(process.env, readSettings(path.join(ROOT, '.env'))) // the shell's values win
  if (!(await takeLock(LOCK))) return showRunning()
  supervisor.onCleanup(() => releaseLock(LOCK))
  supervisor.onCleanup(() => endLeftovers(CHILDREN))
  const ended = await endLeftovers(CHILDREN)
  if (ended.length > 0) progress.print(`Ended what an earlier start left behind: ${ended.join(', ')}`)
  recordGroupsIn(CHILDREN)
  await ensurePackages(progress)
  await progress.step('Build', build)
  // Needs packages.
  const { launchDemo } = await import('./demo/launch.ts')
  const summary = await launchDemo({ supervisor, progress, dataDir, env: process.env })
  await writePrivate(LOCK, JSON.stringify({ owner: processIdentity(process.pid), summary }))
  progress.print(
    `${summary}\nCtrl-C stops everything; data stays in ${path.relative(process.cwd(), dataDir)} and is there at the next start.\n`,
  )
  return new Promise(() => {}) // until a signal comes or a process ends by itself
})

/** Another start runs in this checkout: waits until it is ready and shows its summary. */
async function showRunning() {
  let lock
  async function isReadyOrGone() {
    lock = await readJson(LOCK)
    return lock === undefined || lock.summary !== undefined
  }
  const what = 'The start that is already running in this checkout'
  await waitUntil(what, isReadyOrGone, { timeoutMs: 600_000, intervalMs: 250 })
  if (lock === undefined)
    throw new Error('The start that was running in this checkout has just ended; start again')
  progress.print(`Already running in this checkout.\n${lock.summary}`)
  return 0
}
