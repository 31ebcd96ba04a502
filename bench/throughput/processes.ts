import type { Figure } from './figure.ts'
import { runPhase, warmUp } from './phase.ts'
import type { LoadStack } from './stack.ts'

/** Numbers of apis. There are as many workers each time. */
const COUNTS = [1, 2, 4, 8]
const PER_SECOND = 200
const WAIT_MS = 5_000

/**
 * The same load through more and more processes on this machine: what each further one costs an event with its polls,
 * heartbeats, claims and shards of figures. All first attempts are direct.
 */
export async function measureProcesses(stack: LoadStack): Promise<Figure[]> {
  await stack.useLane('direct')
  await warmUp(stack)
  const figures: Figure[] = []
  const more: Awaited<ReturnType<LoadStack['startMore']>>[] = []
  const ports = [stack.apiPort]
  for (const count of COUNTS) {
    while (ports.length < count) {
      const api = await stack.startMore('server')
      more.push(api, await stack.startMore('worker'))
      ports.push(api.port)
    }
    const load = { perSecond: PER_SECOND, seconds: stack.plan.pacedSeconds, ports }
    const phase = { what: `${count} api + ${count} worker, ${PER_SECOND}/s`, load, waitMs: WAIT_MS }
    // Not counted: each new process compiles its code once, which is the cost of a boot.
    await runPhase(stack, phase)
    figures.push(await runPhase(stack, phase))
  }
  for (const { stop } of more) await stop()
  return figures
}
