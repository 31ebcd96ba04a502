import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Service, Supervisor } from '../scripts/lib/supervisor.ts'
import { watchStarts } from '../scripts/stack/stack.ts'

/** What is started with its `supervisor` can be killed with SIGKILL, and started again as before, by name. */
export function killable(everything: Supervisor) {
  const started = new Map<string, { service: Service; pid: number }>()
  const supervisor = watchStarts(everything, (service, pid) => started.set(service.name, { service, pid }))
  const pidOf = (name: string): number => started.get(name)!.pid
  return {
    supervisor,
    pidOf,
    kill: (name: string) => everything.kill(pidOf(name)),
    restart: (name: string) => supervisor.start(started.get(name)!.service),
  }
}

/** Makes a directory for logs and data. It is kept when the program ends with exit code 1. */
export async function makeKeptDirectory(supervisor: Supervisor, name: string): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), `${name}-`))
  supervisor.onCleanup(async (code) => {
    if (code === 1) console.error(`The logs and data are kept in ${dir}`)
    else await rm(dir, { recursive: true, force: true })
  })
  return dir
}
