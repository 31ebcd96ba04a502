import { deliveryKey } from '../endpoints.ts'
import type { Finding, Known } from './account.ts'
import { keyOf } from './rows.ts'

/** The publisher's number of the event with this body; undefined for what the soak did not publish. */
const tagOf = (body: Buffer) => (JSON.parse(body.toString()) as { data: { tag?: number } }).data.tag

/**
 * Compares the publishers' ledger with the rows of the events: every accepted event is there once and as it was sent.
 * Further rows are only of events that may have been accepted.
 */
export function* checkEvents({ rows, ledger }: Known): Generator<Finding> {
  const events = rows.events.map((event) => ({ ...event, tag: tagOf(event.body) }))
  const byId = new Map(events.map((event) => [event.id, event]))
  const byTag = Map.groupBy(events, ({ tag }) => tag)
  const originals = rows.deliveries.filter(({ isOriginal }) => isOriginal)
  const rowsOf = Map.groupBy(originals, ({ eventId }) => eventId)
  for (const { id, tag, type, deliveries } of ledger.accepted.values()) {
    const row = byId.get(id)
    if (!row) {
      yield ['lost', `event ${id} was accepted and has no row`]
      continue
    }
    const is = `is number ${row.tag}, ${row.type}`
    if (row.tag !== tag || row.type !== type)
      yield ['disagreements', `event ${id} was accepted as number ${tag}, ${type}, and ${is}`]
    const found = rowsOf.get(id)?.length ?? 0
    const has = `it counts ${row.deliveries} and has ${found}`
    if (found !== deliveries || row.deliveries !== deliveries)
      yield ['disagreements', `event ${id} was answered with ${deliveries} deliveries; ${has}`]
  }
  const mayBe = new Set(ledger.uncertain.flat())
  for (const [tag, same] of byTag) {
    if (tag === undefined) continue
    const ids = same.map(({ id }) => id)
    if (ids.length > 1) yield ['disagreements', `number ${tag} was published ${ids.length} times`, ids]
    for (const id of ids)
      if (!ledger.accepted.has(id) && !mayBe.has(tag))
        yield ['disagreements', `event ${id}, number ${tag}, has a row and was never accepted`]
  }
  for (const tags of ledger.uncertain) {
    const found = tags.filter((tag) => byTag.has(tag)).length
    if (found > 0 && found < tags.length)
      yield ['disagreements', `of a publish of ${tags.length} events ${found} have rows`, tags]
  }
}

/**
 * Compares the events with the webhooks: one delivery for every webhook that was certainly active and subscribed while the
 * event was accepted, and none for one that certainly was not. If the webhook was inactive, a recovery may have made the
 * delivery later.
 */
export function* checkSubscribers({ rows, ledger, webhooks }: Known): Generator<Finding> {
  const original = new Set(rows.deliveries.filter(({ isOriginal }) => isOriginal).map(keyOf))
  const others = rows.deliveries.filter(({ isOriginal, resendOf }) => !isOriginal && resendOf === null)
  const recovered = Map.groupBy(others, keyOf)
  for (const event of ledger.accepted.values()) {
    for (const webhook of webhooks) {
      const { path, types } = webhook
      const key = deliveryKey({ path, id: event.id })
      const isThere = original.has(key)
      const later = recovered.get(key)?.length ?? 0
      const state = types.includes(event.type)
        ? webhook.stateDuring(event.sentAtMs, event.answeredAtMs)
        : 'not subscribed'
      const what = `event ${event.id} (${event.type}) at ${path} (${state}, ${webhook.id})`
      if (later > (isThere || state === 'not subscribed' ? 0 : 1))
        yield ['disagreements', `${what} has ${later} deliveries made by recoveries`, event]
      if (state === 'unknown') continue
      if (state === 'active' && !isThere) yield ['lost', `${what} has no delivery`, event]
      if (state !== 'active' && isThere) yield ['disagreements', `${what} has a delivery`, event]
    }
  }
}
