import { appendFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from './client.ts'

/*
 * Publishes until it gets SIGTERM, in four rows side by side: events with an id of their own, events without, batches, and
 * changes of a contact. Each row sends the next one when the one before is certain. It notes the tag of what was accepted, a
 * line each: the name of the row and a number that counts up.
 */

const { client, name, file } = readSettings()
let isOver = false
process.on('SIGTERM', () => (isOver = true))

type Accepted = readonly string[]

/** @param write writes number `n`, and gives the tags that were accepted */
async function row(
  kind: string,
  pauseMs: number,
  write: (tag: (n: number) => string, n: number) => Promise<Accepted>,
) {
  for (let n = 0; !isOver; n += 5) {
    const accepted = await write((number) => `${name}/${kind}/${number}`, n)
    if (accepted.length > 0) appendFileSync(file, `${accepted.join('\n')}\n`)
    await sleep(pauseMs)
  }
}

const eventOf = (tag: string, id?: string) => ({ ...(id && { id }), event: 'contact.created', data: { tag } })
const idOf = (tag: string) => `evt_${tag.replaceAll('/', '_')}`
const isGood = ({ status }: { readonly status: number }) => status === 200 || status === 201

async function changeContact(): Promise<void> {
  const created = await client.askUntilCertain(
    'POST',
    '/api-v1-contacts',
    { name: `${name}/new/0` },
    { 'idempotency-key': randomUUID() },
  )
  const { id } = (created.body as { data: { id: string } }).data
  await row('contact', 20, async (tag, n) => {
    const changed = await client.askUntilCertain('PATCH', `/api-v1-contacts/${id}`, { name: tag(n) })
    return isGood(changed) ? [tag(n)] : []
  })
}

await Promise.all([
  row('named', 10, async (tag, n) =>
    isGood(await client.askUntilCertain('POST', '/api-v1-events', eventOf(tag(n), idOf(tag(n)))))
      ? [tag(n)]
      : [],
  ),
  // Without an id nobody may repeat it: an answer that is lost leaves open whether it was accepted.
  row('unnamed', 5, async (tag, n) =>
    isGood(await client.ask('POST', '/api-v1-events', eventOf(tag(n)))) ? [tag(n)] : [],
  ),
  row('batch', 50, async (tag, n) => {
    const tags = [0, 1, 2, 3, 4].map((more) => tag(n + more))
    const events = tags.map((each) => eventOf(each, idOf(each)))
    return isGood(await client.askUntilCertain('POST', '/api-v1-events', { events })) ? tags : []
  }),
  changeContact(),
])
