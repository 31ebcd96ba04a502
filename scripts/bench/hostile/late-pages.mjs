import { keepCalling } from './calls.mjs'

/**
 * Asks for a late page of a long list again and again, with so many clients at once.
 *
 * @param {{ baseUrl: string, key: string, clients?: number, page?: number, durationMs: number }} options
 * @returns {Promise<Record<string, number>>} answers by status
 */
export const askForLatePages = ({ baseUrl, key, clients = 20, page = 4_000, durationMs }) =>
  keepCalling({
    clients,
    durationMs,
    async call() {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${baseUrl}/api-v1-contacts?limit=100&page=${page}`, { headers })
      await response.arrayBuffer()
      return response.status
    },
  })
