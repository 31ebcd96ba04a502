import { kill } from './crashes.ts'
import type { RunningProcess } from './processes.ts'
import type { Stack } from './use-stack.ts'
import { createTcpProxyTo, type TcpProxy } from './tcp-proxy.ts'

/** A worker with connections that the test can stall and cut. */
export type CrewWorker = RunningProcess & { readonly temporal: TcpProxy; readonly database: TcpProxy }

type Member = { readonly worker: CrewWorker; readonly settings: string }

/**
 * The workers of a test file. A boot keeps a core busy for more than a second, so the next test uses a worker that a
 * test leaves healthy.
 */
class WorkerCrew {
  readonly #stack: () => Stack
  readonly #members = new Set<Member>()
  readonly #closing: Promise<unknown>[] = []

  constructor(stack: () => Stack) {
    this.#stack = stack
  }

  /** Returns the only running worker: an existing one with this environment, or else a new one. It kills all others. */
  async worker(environment: Record<string, string> = {}): Promise<CrewWorker> {
    const settings = settingsOf({ ...this.#stack().environment, ...environment })
    const kept = [...this.#members].find((member) => member.settings === settings)
    const others = [...this.#members].filter((member) => member !== kept)
    await Promise.all(others.map(({ worker }) => kill(worker)))
    return kept?.worker ?? this.another(environment)
  }

  /** Starts a new worker in addition to the running ones. */
  async another(environment: Record<string, string> = {}): Promise<CrewWorker> {
    const all = { ...this.#stack().environment, ...environment }
    const temporal = await createTcpProxyTo(all['TEMPORAL_ADDRESS']!)
    const database = await createTcpProxyTo(all['DATABASE_URL']!)
    const wires = { TEMPORAL_ADDRESS: temporal.address, DATABASE_URL: database.through(all['DATABASE_URL']!) }
    const closeWires = () => Promise.all([temporal.stop(), database.stop()])
    const running = await this.#stack()
      .spawnWorker({ ...environment, ...wires })
      .catch(async (error: unknown) => {
        await closeWires()
        throw error
      })
    const member = { worker: { ...running, temporal, database }, settings: settingsOf(all) }
    this.#members.add(member)
    this.#closing.push(
      running.exited.then(() => {
        this.#members.delete(member)
        return closeWires()
      }),
    )
    return member.worker
  }

  /** Kills all running workers: after a failed test, or for a test that begins without a worker. */
  async killAll(): Promise<void> {
    await Promise.all([...this.#members].map(({ worker }) => kill(worker)))
    await Promise.all(this.#closing.splice(0))
  }
}

/** Workers with equal settings can stand in for each other. */
function settingsOf(environment: Record<string, string>): string {
  const all = { DELIVERY_FIRST_ATTEMPT: 'workflow', ...environment }
  return JSON.stringify(Object.entries(all).sort())
}

/** Registers the hooks of a crew. Call it before `useStack`, so that its workers end before their stack stops. */
export function useWorkerCrew(stack: () => Stack): WorkerCrew {
  const crew = new WorkerCrew(stack)
  after(() => crew.killAll())
  afterEach(async function () {
    // The test may have left a worker frozen, or with a stalled connection.
    if (this.currentTest?.state === 'failed') await crew.killAll()
  })
  return crew
}
