import { Agent, request } from 'undici'

/**
 * A client of the service's HTTP API.
 *
 * @param {string} baseUrl
 * @param {string} key
 * @param {number} timeoutMs of a call
 * @returns {(method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
 *   Promise<{ status: number, data: any, error: any, pagination: any, search: any }>} throws when no whole answer came
 */
export const apiClient =
  (baseUrl, key, timeoutMs = 15_000) =>
  async (method, path, body, headers) => {
    const type = body !== undefined && { 'content-type': 'application/json' }
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, ...(await response.json()) }
  }

/**
 * Asks the demo receiver what arrived at a path so far.
 *
 * @param {{ port: number, ca: string }} receiver
 * @param {string} path
 * @returns {Promise<Array<{ webhook_id: string, verified?: boolean, status?: number }>>}
 */
export async function requestsAt({ port, ca }, path) {
  const dispatcher = new Agent({ connect: { ca } })
  const options = { method: 'POST', body: JSON.stringify({ path }), dispatcher }
  const { statusCode, body } = await request(`https://127.0.0.1:${port}/_control`, options)
  const answer = await body.json()
  await dispatcher.close()
  if (statusCode !== 200) throw new Error(`The demo receiver refused a question: ${answer.error}`)
  return answer.requests
}
