import { groupBy } from '../group-by.mjs'
import { tagOf } from '../record.mjs'

/**
 * @typedef {import('./account.mjs').Account} Account
 * @typedef {import('./account.mjs').Known} Known
 */

/**
 * Compares the publishers' ledger with the rows of the events: what was accepted is there once and as it was sent, and
 * nothing else but what may have been accepted.
 *
 * @param {Account} account
 * @param {Known} known
 */
export function compareEvents(account, { rows, ledger }) {
  const events = rows.events.map((event) => ({ ...event, tag: tagOf(event.body) }))
  const byId = new Map(events.map((event) => [event.id, event]))
  const byTag = groupBy(events, ({ tag }) => tag)
  const rowsOf = groupBy(
    rows.deliveries.filter(({ isOriginal }) => isOriginal),
    ({ eventId }) => eventId,
  )
  for (const { id, tag, type, deliveries } of ledger.accepted.values()) {
    const row = byId.get(id)
    if (!row) {
      account.lose(`event ${id} was accepted and has no row`)
      continue
    }
    if (row.tag !== tag || row.type !== type)
      account.disagree(`event ${id} was accepted as number ${tag}, ${type}`, { tag: row.tag, type: row.type })
    const found = rowsOf.get(id)?.length ?? 0
    if (found !== deliveries || row.deliveries !== deliveries)
      account.disagree(
        `event ${id} was answered with ${deliveries} deliveries; it counts ${row.deliveries} and has ${found}`,
      )
  }
  for (const [tag, same] of byTag) {
    if (tag !== undefined && same.length > 1)
      account.disagree(
        `number ${tag} was published ${same.length} times`,
        same.map(({ id }) => id),
      )
  }
  const mayBe = new Set(ledger.uncertain.flat())
  for (const { id, tag } of events) {
    if (tag !== undefined && !ledger.accepted.has(id) && !mayBe.has(tag))
      account.disagree(`event ${id}, number ${tag}, has a row and was never accepted`)
  }
  for (const tags of ledger.uncertain) {
    const found = tags.filter((tag) => byTag.has(tag)).length
    if (found > 0 && found < tags.length)
      account.disagree(`of a publish of ${tags.length} events ${found} have rows`, tags)
  }
}

/**
 * Compares the events with the webhooks: one delivery for every webhook that was certainly active and subscribed while the
 * event was accepted, and none for one that certainly was not. A recovery may have made that one later, if the webhook was
 * inactive.
 *
 * @param {Account} account
 * @param {Known} known
 */
export function compareSubscribers(account, { rows, ledger, webhooks }) {
  const nameOf = (/** @type {import('./rows.mjs').DeliveryRow} */ { webhook, eventId }) =>
    `${webhook.path} ${eventId}`
  const original = new Set(rows.deliveries.filter(({ isOriginal }) => isOriginal).map(nameOf))
  const recovered = groupBy(
    rows.deliveries.filter(({ isOriginal, resendOf }) => !isOriginal && resendOf === null),
    nameOf,
  )
  for (const event of ledger.accepted.values()) {
    for (const webhook of webhooks) {
      const { path, types } = webhook
      const name = `${path} ${event.id}`
      const isThere = original.has(name)
      const later = recovered.get(name)?.length ?? 0
      const state = types.includes(event.type)
        ? webhook.stateDuring(event.sentAtMs, event.answeredAtMs)
        : 'not subscribed'
      const what = `event ${event.id} (${event.type}) at ${path} (${state}, ${webhook.id})`
      if (later > (isThere || state === 'not subscribed' ? 0 : 1))
        account.disagree(`${what} has ${later} deliveries made by recoveries`, event)
      if (state === 'unknown') continue
      if (state === 'active' && !isThere) account.lose(`${what} has no delivery`, event)
      if (state !== 'active' && isThere) account.disagree(`${what} has a delivery`, event)
    }
  }
}
