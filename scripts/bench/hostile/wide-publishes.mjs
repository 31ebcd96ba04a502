import { callAtRate, keepCalling } from './calls.mjs'

/** @typedef {{ baseUrl: string, key: string, type: string, events: number }} Batches events: in a request */

/**
 * Publishes batches of events again and again, with so many clients at once.
 *
 * @param {Batches & { clients?: number, durationMs: number }} options
 * @returns {Promise<Record<string, number>>} answers by status
 */
export const publishBatches = ({ clients = 16, durationMs, ...batches }) =>
  keepCalling({ clients, durationMs, call: () => publish(batches) })

/**
 * Publishes so many batches of events a second, whatever the answers take.
 *
 * @param {Batches & { perSecond: number, durationMs: number }} options
 * @returns {Promise<Record<string, number>>} answers by status
 */
export async function publishAtRate({ perSecond, durationMs, ...batches }) {
  /** @type {Record<string, number>} */
  const answers = {}
  const call = async () => {
    const status = await publish(batches)
    answers[status] = (answers[status] ?? 0) + 1
    return { status }
  }
  await callAtRate(call, { seconds: durationMs / 1000, perSecond })
  return answers
}

/** @param {Batches} batches @returns {Promise<number>} the status of the answer */
async function publish({ baseUrl, key, type, events }) {
  const response = await fetch(`${baseUrl}/api-v1-events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events: Array.from({ length: events }, () => ({ event: type, data: {} })) }),
  })
  await response.arrayBuffer()
  return response.status
}
