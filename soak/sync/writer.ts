import type { ResourceFamily } from '../../src/domain/event/resources.ts'
import type { SoakClient } from '../client.ts'
import type { SeededRandom } from '../random.ts'
import { givenOf } from './records.ts'

const SHARES = { create: 0.4, update: 0.4 }
const DELETED = ['organizations', 'contacts', 'deals'] as const
const FAMILIES = [...DELETED, 'tasks', 'activities'] as const

/**
 * Creates, updates and deletes records. The feed has only the creation and the completion of tasks, so nothing else is done to
 * tasks; activities are only created.
 */
export class Writer {
  readonly counts = { created: 0, updated: 0, deleted: 0, refused: 0, unanswered: 0 }
  readonly #client: SoakClient
  readonly #random: SeededRandom
  readonly #ids: Record<ResourceFamily, string[]>

  /** @param ids of the records that exist, by family */
  constructor(client: SoakClient, random: SeededRandom, ids: Record<ResourceFamily, string[]>) {
    this.#client = client
    this.#random = random
    this.#ids = ids
  }

  /** Makes the n-th write. */
  async write(n: number): Promise<void> {
    const share = this.#random.between(0, 1)
    if (share < SHARES.create) return this.#create(this.#random.pick(FAMILIES)!, n)
    if (share < SHARES.create + SHARES.update) return this.#update(n)
    const family = this.#random.pick(DELETED)!
    await this.#ask('deleted', 'DELETE', `/api-v1-${family}/${this.#take(family)}`)
  }

  async #create(family: ResourceFamily, n: number): Promise<void> {
    const created = await this.#ask('created', 'POST', `/api-v1-${family}`, givenOf(family, n))
    if (created) this.#ids[family].push((created as { id: string }).id)
  }

  /** Changes the same records again and again, now and then one that is being deleted. */
  async #update(n: number): Promise<void> {
    const family = this.#random.pick([...DELETED, 'tasks'] as const)!
    const id = family === 'tasks' ? this.#take(family) : this.#random.pick(this.#ids[family])
    const isMoved = family === 'deals' && this.#random.isHit(0.5)
    const custom = { custom: { n }, ...(isMoved && { stage: `stage ${n}` }) }
    const fields = family === 'tasks' ? { completed: true } : custom
    await this.#ask('updated', 'PATCH', `/api-v1-${family}/${id}`, fields)
  }

  #take(family: ResourceFamily): string {
    const ids = this.#ids[family]
    const [id = 'none'] = ids.splice(this.#random.integer(0, Math.max(0, ids.length - 1)), 1)
    return id
  }

  async #ask(what: 'created' | 'updated' | 'deleted', ...call: Parameters<SoakClient['ask']>) {
    const { status, data } = await this.#client.ask(...call)
    const isDone = status === 200 || status === 201
    this.counts[isDone ? what : status === 0 ? 'unanswered' : 'refused'] += 1
    return isDone ? data : undefined
  }
}
