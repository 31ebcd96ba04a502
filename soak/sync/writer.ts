import type { Db } from '../../src/db/connection/connection.ts'
import { addToResourceCounter } from '../../src/db/event/resource-counters.ts'
import { resourceRows } from '../../src/db/event/resource-rows.ts'
import { run } from '../../src/db/connection/statements.ts'
import { newFields, RESOURCE_FAMILIES, type ResourceFamily } from '../../src/domain/event/resources.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import type { SoakClient } from '../client.ts'
import type { SeededRandom } from '../random.ts'
import { nameOfChange, type Span } from './compare.ts'

const ROWS_PER_STATEMENT = 500
const BATCH = 5
const DELETED = ['organizations', 'contacts', 'deals'] as const
const FAMILIES = [...DELETED, 'tasks', 'activities'] as const

type Ids = Record<ResourceFamily, string[]>

/** The fields of the n-th new record. */
const givenOf = (family: ResourceFamily, n: number) =>
  family === 'activities' ? { type: 'call', subject: `${n}` } : { name: `${n}` }

/** Inserts records, equally many of each family, as if made before the feed begins. @returns their ids by family */
export async function insertRecords(db: Db, tenant: Tenant, count: number): Promise<Ids> {
  const ids = {} as Ids
  const [revision, now] = [1, new Date()]
  for (const family of FAMILIES) {
    const description = RESOURCE_FAMILIES[family]
    const records = Array.from({ length: count / FAMILIES.length }, (_, n) => {
      const [id, fields] = [newId(description.entity), newFields(description, givenOf(family, n))]
      return { tenant, record: { id, family, fields, revision, createdAt: now, updatedAt: now } }
    })
    for (let from = 0; from < records.length; from += ROWS_PER_STATEMENT)
      await run(db, resourceRows(records.slice(from, from + ROWS_PER_STATEMENT)))
    await addToResourceCounter(db, tenant, family, records.length)
    ids[family] = records.map(({ record }) => record.id)
  }
  return ids
}

/** What the api answers to a write, as far as it names the event: a record, or a published event. */
type Made = { readonly id: string; readonly revision: number }

type Write = {
  readonly what: 'created' | 'updated' | 'deleted' | 'published'
  readonly call: Parameters<SoakClient['ask']>
  /** Whether it may be repeated as it is, and so is, until its answer is certain. */
  readonly isRepeated?: boolean
  /** Takes what the api answered. @returns the name of the event, as in the feed */
  readonly note: (made: Made) => string
}

/** Removes a record of the family from the list, so that no other write draws it. @returns its id; `none` without one */
function take(random: SeededRandom, ids: string[]): string {
  const [id = 'none'] = ids.splice(random.integer(0, Math.max(0, ids.length - 1)), 1)
  return id
}

function drawCreation(random: SeededRandom, ids: Ids, n: number): Write {
  const family = random.pick(FAMILIES)!
  const note = ({ id, revision }: Made) => {
    ids[family].push(id)
    return nameOfChange(`${RESOURCE_FAMILIES[family].entity}.created`, id, revision)
  }
  return { what: 'created', call: ['POST', `/api-v1-${family}`, givenOf(family, n)], note }
}

/**
 * Changes the same records again and again, now and then one that is being deleted. The feed has only the creation and the completion
 * of tasks, so nothing else is done to them. Activities cannot be changed.
 */
function drawUpdate(random: SeededRandom, ids: Ids, n: number): Write {
  const family = random.pick([...DELETED, 'tasks'] as const)!
  const isTask = family === 'tasks'
  const target = isTask ? take(random, ids.tasks) : random.pick(ids[family])
  const isMoved = family === 'deals' && random.isHit(0.5)
  const body = isTask ? { completed: true } : { custom: { n }, ...(isMoved && { stage: `stage ${n}` }) }
  const event = isTask ? 'task.completed' : `${RESOURCE_FAMILIES[family].entity}.updated`
  const note = ({ id, revision }: Made) => nameOfChange(event, id, revision)
  return { what: 'updated', call: ['PATCH', `/api-v1-${family}/${target}`, body], isRepeated: true, note }
}

function drawDeletion(random: SeededRandom, ids: Ids): Write {
  const family = random.pick(DELETED)!
  const id = take(random, ids[family])
  const note = () => nameOfChange(`${RESOURCE_FAMILIES[family].entity}.deleted`, id)
  return { what: 'deleted', call: ['DELETE', `/api-v1-${family}/${id}`], note }
}

/** One event or a batch. Half of them have ids of our own, so that they may be repeated. */
function drawPublish(random: SeededRandom, _: Ids, n: number): Write {
  const isRepeated = random.isHit(0.5)
  const events = Array.from({ length: random.isHit(0.5) ? BATCH : 1 }, (_event, place) => ({
    ...(isRepeated && { id: `evt_${n}_${place}` }),
    event: 'contact.created',
    data: { n },
  }))
  const body = events.length > 1 ? { events } : events[0]
  return { what: 'published', call: ['POST', '/api-v1-events', body], isRepeated, note: ({ id }) => id }
}

/** Each comes as often as it is in the list. */
const DRAWS = [drawCreation, drawCreation, drawUpdate, drawUpdate, drawDeletion, drawPublish]

/**
 * Creates, updates and deletes records, and publishes events.
 *
 * @param clients take turns
 * @param ids of the records that exist, by family
 * @returns write: makes the n-th write; accepted: the call of each accepted event, by its name
 */
export function createWriter(clients: readonly SoakClient[], random: SeededRandom, ids: Ids) {
  const counts = { created: 0, updated: 0, deleted: 0, published: 0, refused: 0, unanswered: 0 }
  const accepted = new Map<string, Span>()
  async function write(n: number): Promise<void> {
    const { what, call, isRepeated = false, note } = random.pick(DRAWS)!(random, ids, n)
    const client = clients[n % clients.length]!
    const sentMs = performance.now()
    const { status, data } = await (isRepeated ? client.askUntilCertain(...call) : client.ask(...call))
    const isDone = status === 200 || status === 201
    counts[isDone ? what : status === 0 ? 'unanswered' : 'refused'] += 1
    const made = isDone ? [data as Made | Made[]].flat() : []
    for (const one of made) accepted.set(note(one), { sentMs, answeredMs: performance.now() })
  }
  return { counts, accepted, write }
}
