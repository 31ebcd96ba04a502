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
