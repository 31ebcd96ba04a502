import { kill } from './crashes.ts'
import type { RunningProcess } from './processes.ts'
import type { Stack } from './use-stack.ts'
import { createTcpProxyTo, type TcpProxy } from './tcp-proxy.ts'

/** A worker whose wires the test holds. */
export type CrewWorker = RunningProcess & { readonly temporal: TcpProxy; readonly database: TcpProxy }

type Member = { readonly worker: CrewWorker; readonly settings: string }

/**
 * The workers of a test file. A boot keeps a core busy for more than a second, so a worker that a test leaves healthy serves
 * the next test: who heals one crash dies in the next one.
 */
class WorkerCrew {
  readonly #stack: () => Stack
  readonly #members = new Set<Member>()
  readonly #closing: Promise<unknown>[] = []

  constructor(stack: () => Stack) {
    this.#stack = stack
  }

  /** The only worker that runs: one that is there with this environment, else a new one. All others are killed. */
  async worker(environment: Record<string, string> = {}): Promise<CrewWorker> {
    const settings = settingsOf({ ...this.#stack().environment, ...environment })
    const kept = [...this.#members].find((member) => member.settings === settings)
    const others = [...this.#members].filter((member) => member !== kept)
    await Promise.all(others.map(({ worker }) => kill(worker)))
    return kept?.worker ?? this.another(environment)
  }

  /** A new worker beside those that run. */
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

  /** Kills all that run: after a test that failed, or for one that begins without a worker. */
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

/** Registers the hooks of a crew. Call it before `useStack`: its workers die before their stack stops. */
export function useWorkerCrew(stack: () => Stack): WorkerCrew {
  const crew = new WorkerCrew(stack)
  after(() => crew.killAll())
  afterEach(async function () {
    // It may have left a worker frozen, or with a wire that is stalled.
    if (this.currentTest?.state === 'failed') await crew.killAll()
  })
  return crew
}
