import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endLeftovers, isRunning, processIdentity, recordGroupsIn } from './processes.ts'
import type { Supervisor } from './supervisor.ts'

const NAME = /^sales-data-webhooks-test-(\d+)-(.+)$/
const RECORD = 'children.jsonl'

/**
 * Makes a directory for the servers' files. Its name holds the identity of this process. On every exit the processes that killed
 * programs of tests left behind are ended, and the directory is removed. First does the same for runs that were killed.
 */
export async function makeTestDirectory(supervisor: Pick<Supervisor, 'onCleanup'>): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, startedAt = ''] = NAME.exec(name) ?? []
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

/** @param dir of a run whose own processes have ended */
async function removeDirectory(dir: string): Promise<void> {
  await endLeftovers(path.join(dir, RECORD))
  await rm(dir, { recursive: true, force: true })
}
