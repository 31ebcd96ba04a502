import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakClient } from '../client.ts'

type Writing = {
  readonly client: SoakClient
  readonly name: string
  readonly isOver: AbortSignal
  /** Gets the tag of what was accepted. */
  readonly accepted: Set<string>
}

const eventOf = (tag: string, id?: string) => ({ ...(id && { id }), event: 'contact.created', data: { tag } })
const idOf = (tag: string) => `evt_${tag.replaceAll('/', '_')}`
/** How many numbers a batch takes; the other rows leave as many out. */
const BATCH = 5

/**
 * Publishes until the signal, in four rows side by side: events with an id of their own, events without, batches, and changes of a
 * contact. Each row sends the next one when the one before is certain. A tag is the name of the row and a number that counts up.
 */
export async function writeRows({ client, name, isOver, accepted }: Writing): Promise<void> {
  /** @param write writes what has the tags; the first is that of a single one */
  async function row(
    kind: string,
    pauseMs: number,
    write: (tag: string, tags: readonly string[]) => Promise<{ readonly status: number }>,
    count = 1,
  ) {
    for (let n = 0; !isOver.aborted; n += BATCH) {
      const tags = Array.from({ length: count }, (_, more) => `${name}/${kind}/${n + more}`)
      const { status } = await write(tags[0]!, tags)
      if (status === 200 || status === 201) for (const tag of tags) accepted.add(tag)
      await sleep(pauseMs)
    }
  }
  const publish = (body: object) => client.askUntilCertain('POST', '/api-v1-events', body)
  async function changeContact(): Promise<void> {
    const contact = { name: `${name}/new/0` }
    const key = { 'idempotency-key': randomUUID() }
    const { data } = await client.askUntilCertain('POST', '/api-v1-contacts', contact, key)
    const path = `/api-v1-contacts/${(data as { id: string }).id}`
    await row('contact', 20, (tag) => client.askUntilCertain('PATCH', path, { name: tag }))
  }
  await Promise.all([
    row('named', 10, (tag) => publish(eventOf(tag, idOf(tag)))),
    // Without an id nobody may repeat it: an answer that is lost leaves open whether it was accepted.
    row('unnamed', 5, (tag) => client.ask('POST', '/api-v1-events', eventOf(tag))),
    row('batch', 50, (_, tags) => publish({ events: tags.map((tag) => eventOf(tag, idOf(tag))) }), BATCH),
    changeContact(),
  ])
}
