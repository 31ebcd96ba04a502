// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { answer } from '../../support/raw-endpoint.ts'
import { untilAtLeast } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import { type Json, createContact, createTestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { usePrograms } from '../../docs/receiving-programs.ts'

const RECORDS = 12
const UPDATES_OF_EACH = 8
/** The number of records that are deleted at the end. */
const DELETED = 3
/** How many records change at a time. On a busy machine more requests would wait too long and be refused. */
const WRITERS = 4
/** How often an endpoint refuses an event, by the order of first arrivals. Fewer than 20 failures come in a row. */
const REFUSALS = [0, 2, 0, 1]

describe('events that overtake each other', function () {
  this.timeout(180_000)
  const use = useStack()
  const endpoints = useEndpointsOn(use)
  const dir = usePrograms()

  /** An endpoint that stores records as docs/receiving.md says, and refuses many events once or twice. */
  async function startMirror() {
    const url = pathToFileURL(path.join(dir.path, 'newest.mjs')).href
    const { isNewest } = (await import(url)) as { isNewest: (event: Json) => boolean }
    const refusalsLeft = new Map<string, number>()
    const [records, lastArrived] = [new Map<string, Json>(), new Map<string, Json>()]
    const taken = new Set<string>()
    const endpoint = await endpoints.start((socket, index) => {
      const event = JSON.parse(endpoint.requests[index]!.split('\r\n\r\n')[1]!)
      const left = refusalsLeft.get(event.id) ?? REFUSALS[refusalsLeft.size % REFUSALS.length]!
      refusalsLeft.set(event.id, left - 1)
      if (left > 0) return void socket.write(answer(503))
      taken.add(event.id)
      const record = event.event === 'contact.deleted' ? undefined : event.data
      lastArrived.set(event.subject, record)
      if (isNewest(event)) records.set(event.subject, record)
      socket.write(answer(200))
    })
    return { url: endpoint.url, records, lastArrived, taken }
  }

  const request = async (...args: Parameters<typeof use.tenant.request>): Promise<Json> => {
    const { status, body } = await use.tenant.request(...args)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }

  // decision: Revisions
  it('leave an endpoint that drops the older with the state that the API shows', async () => {
    const mirror = await startMirror()
    const events = ['contact.updated', 'contact.deleted']
    await createTestWebhook(use.stack, use.tenant, { url: mirror.url, events, max_retries: 10 })
    const created: Json[] = []
    for (let n = 0; n < RECORDS; n += 1) created.push(await createContact(use.tenant, `${n}`))
    const waiting = created.map(({ id }, n) => ({ one: `/api-v1-contacts/${id}`, isDeleted: n < DELETED }))
    const write = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        for (let n = 1; n <= UPDATES_OF_EACH; n += 1) await request('PATCH', next.one, { phone: `${n}` })
        if (next.isDeleted) await request('DELETE', next.one)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))

    const count = RECORDS * UPDATES_OF_EACH + DELETED
    await untilAtLeast(() => mirror.taken.size, count, { withinMs: 120_000 })
    const shown = await request('GET', '/api-v1-contacts?limit=100')
    const kept = [...mirror.records.values()].filter((record) => record !== undefined)
    expect(kept)
      .to.have.deep.members(shown)
      .and.to.have.length(RECORDS - DELETED)
    // Otherwise the endpoint had nothing to drop.
    expect([...mirror.lastArrived.values()]).to.not.have.deep.members([...mirror.records.values()])
  })
})
