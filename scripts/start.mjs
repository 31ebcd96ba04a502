import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { build } from './build.mjs'
import { launchDemo } from './demo/launch.mjs'
import { addSettings } from './lib/file-settings.mjs'
import { endLeftovers } from './lib/leftovers.mjs'
import { readLock, releaseLock, takeLock, writeLock } from './lib/lock.mjs'
import { installPackages, needsPackages } from './lib/packages.mjs'
import { DATA_DIR, ROOT } from './lib/paths.mjs'
import { recordGroupsIn } from './lib/process-groups.mjs'
import { createProgress } from './lib/progress.mjs'
import { waitUntil } from './lib/ready.mjs'
import { runSupervised } from './lib/supervisor.mjs'

/** `npm start -- --data DIR` keeps data in DIR instead of .data; each such directory is a service of its own. */
const { values } = parseArgs({ options: { data: { type: 'string', default: DATA_DIR } } })
const dataDir = path.resolve(values.data)
const LOCK = path.join(dataDir, 'start.lock')
const CHILDREN = path.join(dataDir, 'children.jsonl')

const progress = createProgress()

await runSupervised(async (supervisor) => {
  if (existsSync(path.join(ROOT, '.env')))
    addSettings(process.env, parseEnv(await readFile(path.join(ROOT, '.env'), 'utf8'))) // the shell's values win
  const lock = await takeLock(LOCK)
  if (!lock.isMine) return showRunning()
  supervisor.onCleanup(() => releaseLock(LOCK))
  supervisor.onCleanup(() => rm(CHILDREN, { force: true }))
  const ended = await endLeftovers(CHILDREN)
  if (ended.length > 0) progress.print(`Ended what an earlier start left behind: ${ended.join(', ')}`)
  recordGroupsIn(CHILDREN)
  if (await needsPackages()) await progress.step('Install packages (npm ci)', {}, () => installPackages())
  await progress.step('Build', {}, build)
  const summary = await launchDemo({ supervisor, progress, dataDir, env: process.env })
  await writeLock(LOCK, { summary })
  progress.print(
    `${summary}\nCtrl-C stops everything; data stays in ${path.relative(process.cwd(), dataDir)} and is there at the next start.\n`,
  )
  return new Promise(() => {}) // until a signal comes or a process ends by itself
})

/** Another start runs in this checkout: waits until it is ready and shows its summary. */
async function showRunning() {
  const state = async () => (await readLock(LOCK)) ?? { summary: undefined, isGone: true }
  await waitUntil(
    'The start that is already running in this checkout',
    async () => {
      const { summary, isGone } = await state()
      return summary !== undefined || isGone
    },
    { timeoutMs: 600_000, intervalMs: 250 },
  )
  const { summary } = await state()
  if (summary === undefined)
    throw new Error('The start that was running in this checkout has just ended; start again')
  progress.print(`Already running in this checkout.\n${summary}`)
  return 0
}
