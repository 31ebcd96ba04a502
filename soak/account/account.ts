/**
 * @typedef {object} Known everything that is compared
 * @property {import('./rows.mjs').Rows} rows
 * @property {import('../ledger.mjs').Ledger} ledger
 * @property {import('../record.mjs').ReceiverRecord} record
 * @property {readonly import('../webhooks.mjs').SoakWebhook[]} webhooks as their owner knows them
 * @property {readonly import('../kills.mjs').Kill[]} kills
 * @property {readonly { atMs: number, cutUntilMs: number }[]} spells when endpoints cut their connections
 */

/** What does not agree, and what can be explained by a kill. */
export class Account {
  /** @type {string[]} events and deliveries that were accepted and did not come to an end */
  lost = []
  /** @type {string[]} */
  disagreements = []
  /** @type {string[]} what came twice, or came and was not recorded, because a part was killed then */
  explained = []

  /** @param {string} says @param {unknown} [row] what the database or the owner knows of it */
  lose(says, row) {
    this.lost.push(withRow(says, row))
  }

  /** @param {string} says @param {unknown} [row] */
  disagree(says, row) {
    this.disagreements.push(withRow(says, row))
  }

  /** @param {string} says */
  explain(says) {
    this.explained.push(says)
  }

  isGood() {
    return this.lost.length + this.disagreements.length === 0
  }
}

/** @param {string} says @param {unknown} row */
const withRow = (says, row) => (row === undefined ? says : `${says}: ${JSON.stringify(row)}`)
