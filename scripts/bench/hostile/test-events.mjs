import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks for test events of a webhook at a fixed rate, whatever the answers take.
 *
 * @param {{ baseUrl: string, key: string, webhookId: string, perSecond: number, durationMs: number }} options
 * @returns {Promise<Record<string, number>>} by status, the answers that came within the duration
 */
export async function askForTests({ baseUrl, key, webhookId, perSecond, durationMs }) {
  /** @type {Record<string, number>} */
  const answers = {}
  const signal = AbortSignal.timeout(durationMs)
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const url = `${baseUrl}/api-v1-webhooks/${webhookId}/test`
    const response = await fetch(url, { method: 'POST', headers, signal })
    await response.arrayBuffer()
    answers[response.status] = (answers[response.status] ?? 0) + 1
  }
  const asked = []
  for (let n = 0; n < (perSecond * durationMs) / 1000; n++) {
    asked.push(ask().catch(() => undefined))
    await sleep(1000 / perSecond)
  }
  await Promise.all(asked)
  return answers
}
