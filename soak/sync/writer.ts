import type { Db } from '../../src/db/connection/connection.ts'
import { addToResourceCounter, resourceRows } from '../../src/db/event/resource-rows.ts'
import { run } from '../../src/db/connection/statements.ts'
import { newFields, RESOURCE_FAMILIES, type ResourceFamily } from '../../src/domain/event/resources.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import type { SoakClient } from '../client.ts'
import type { SeededRandom } from '../random.ts'
import { nameOf } from './compare.ts'

const ROWS_PER_STATEMENT = 500
const BATCH = 5
const CHANGED = ['organizations', 'contacts', 'deals'] as const
/** The families of each kind of write. The feed has only the creation and the completion of tasks; activities cannot be changed. */
const FAMILIES = {
  created: [...CHANGED, 'tasks', 'activities'],
  updated: CHANGED,
  completed: ['tasks'],
  deleted: CHANGED,
  published: ['contacts'],
} as const
/** Each comes as often as it is in the list. */
const KINDS = ['created', 'created', 'updated', 'updated', 'completed', 'deleted', 'published'] as const

type Ids = Record<ResourceFamily, string[]>

/** The fields of the n-th new record. */
const givenOf = (family: ResourceFamily, n: number) =>
  family === 'activities' ? { type: 'call', subject: `${n}` } : { name: `${n}` }

/** Inserts records, equally many of each family, as if made before the feed begins. @returns their ids by family */
export async function insertRecords(db: Db, tenant: Tenant, count: number): Promise<Ids> {
  const ids = {} as Ids
  const [revision, now] = [1, new Date()]
  for (const family of FAMILIES.created) {
    const description = RESOURCE_FAMILIES[family]
    const records = Array.from({ length: count / FAMILIES.created.length }, (_, n) => {
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

type Call = { readonly what: (typeof KINDS)[number]; readonly family: ResourceFamily; readonly id: string }

/** The call of the n-th write. @param isOwn whether a publish has ids of our own, and whether a deal gets another stage */
function callOf({ what, family, id }: Call, n: number, isOwn: boolean): Parameters<SoakClient['ask']> {
  const path = `/api-v1-${family}`
  if (what === 'created') return ['POST', path, givenOf(family, n)]
  if (what === 'deleted') return ['DELETE', `${path}/${id}`]
  if (what === 'completed') return ['PATCH', `${path}/${id}`, { completed: true }, 'repeated']
  const stage = family === 'deals' && isOwn && { stage: `stage ${n}` }
  if (what === 'updated') return ['PATCH', `${path}/${id}`, { custom: { n }, ...stage }, 'repeated']
  const events = Array.from({ length: n % 2 === 0 ? BATCH : 1 }, (_, place) => ({
    ...(isOwn && { id: `evt_${n}_${place}` }),
    event: 'contact.created',
    data: { n },
  }))
  const body = events.length > 1 ? { events } : events[0]
  return ['POST', '/api-v1-events', body, isOwn ? 'repeated' : 'once']
}

/**
 * Creates, updates and deletes records, and publishes events. It updates the same records again and again, now and then one that is
 * being deleted.
 *
 * @param clients take turns
 * @param ids of the records that exist, by family
 * @returns write: makes the n-th write; accepted: the call of each accepted event, by its name
 */
export function createWriter(clients: readonly SoakClient[], random: SeededRandom, ids: Ids) {
  const counts = { created: 0, updated: 0, completed: 0, deleted: 0, published: 0, refused: 0, uncertain: 0 }
  const accepted = new Map<string, { sentMs: number; answeredMs: number }>()

  async function write(n: number): Promise<void> {
    const what = random.pick(KINDS)!
    const family = random.pick(FAMILIES[what])!
    const list = ids[family]
    const place = random.integer(0, Math.max(0, list.length - 1))
    // What is completed or deleted is not drawn again.
    const [id = 'none'] = what === 'completed' || what === 'deleted' ? list.splice(place, 1) : [list[place]]
    const call = callOf({ what, family, id }, n, random.isHit(0.5))
    const sentMs = performance.now()
    const { status, data } = await clients[n % clients.length]!.ask(...call)
    const isDone = status === 200 || status === 201
    counts[isDone ? what : status === 0 ? 'uncertain' : 'refused'] += 1
    const event = what === 'published' ? 'contact.created' : `${RESOURCE_FAMILIES[family].entity}.${what}`
    const made = isDone ? [data as { id?: string; revision?: number }].flat() : []
    for (const { id: answered = id, revision } of made) {
      accepted.set(nameOf(event, answered, revision), { sentMs, answeredMs: performance.now() })
      if (what === 'created') list.push(answered)
    }
  }
  return { counts, accepted, write }
}
