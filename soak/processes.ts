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
