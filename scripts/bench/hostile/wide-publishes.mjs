import { keepCalling } from './calls.mjs'

/**
 * Publishes batches of events again and again, with so many clients at once.
 *
 * @param {{ baseUrl: string, key: string, type: string, events: number, clients?: number, durationMs: number }} options
 *   events: in a request
 * @returns {Promise<Record<string, number>>} answers by status
 */
export const publishBatches = ({ baseUrl, key, type, events, clients = 16, durationMs }) =>
  keepCalling({
    ...{ clients, durationMs },
    async call() {
      const response = await fetch(`${baseUrl}/api-v1-events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ events: Array.from({ length: events }, () => ({ event: type, data: {} })) }),
      })
      await response.arrayBuffer()
      return response.status
    },
  })
