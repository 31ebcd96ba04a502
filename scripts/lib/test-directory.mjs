import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endLeftovers } from './leftovers.mjs'
import { recordGroupsIn } from './process-groups.mjs'
import { isRunning, processIdentity } from './process-identity.mjs'

const NAME = /^sales-data-webhooks-test-(\d+)-(.+)$/
const RECORD = 'children.jsonl'

/**
 * A directory for the servers' files, removed on every exit, after what killed programs of tests left behind has ended.
 * Its name holds the identity of its process. Directories that killed runs left behind are removed here, after the
 * processes of those runs.
 *
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<string>}
 */
export async function makeTestDirectory(supervisor) {
  for (const name of await readdir(tmpdir())) {
    const [, pid, startedAt] = NAME.exec(name) ?? []
    if (pid === undefined || isRunning({ pid: Number(pid), startedAt: decodeURIComponent(startedAt) }))
      continue
    await removeDirectory(path.join(tmpdir(), name))
  }
  const { pid, startedAt } = processIdentity(process.pid)
  const dir = path.join(tmpdir(), `sales-data-webhooks-test-${pid}-${encodeURIComponent(startedAt)}`)
  await mkdir(dir, { mode: 0o700 })
  supervisor.onCleanup(() => removeDirectory(dir))
  recordGroupsIn(path.join(dir, RECORD))
  return dir
}

/** @param {string} dir of a run whose own processes have ended */
async function removeDirectory(dir) {
  await endLeftovers(path.join(dir, RECORD))
  await rm(dir, { recursive: true, force: true })
}
