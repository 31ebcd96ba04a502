import { apiClient } from '../../demo/http.mjs'

/**
 * Publishes events at a fixed rate, whatever the answers take, until the process is ended.
 *
 * @param {{ baseUrl: string, key: string, type: string, perSecond: number }} options
 */
export function keepPublishing({ baseUrl, key, type, perSecond }) {
  const api = apiClient(baseUrl, key)
  setInterval(
    () => void api('POST', '/api-v1-events', { event: type, data: {} }).catch(() => undefined),
    1000 / perSecond,
  )
}
