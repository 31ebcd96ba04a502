import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { steadySeconds } from '../clock.mjs'

/**
 * Signs and posts events over kept TLS connections: what a delivery costs without database and Temporal.
 *
 * @param {{ urls: readonly string[], caFile: string, perUrl: number, seconds: number }} options perUrl: requests at a time
 * @returns {Promise<{ count: number, perSecond: number, cpuSeconds: number }>} cpuSeconds: of this process
 */
export async function postSigned({ urls, caFile, perUrl, seconds }) {
  const dispatcher = new Agent({
    connect: { ca: readFileSync(caFile, 'utf8') },
    connections: perUrl,
    pipelining: 1,
  })
  const secret = randomBytes(24)
  const text = Buffer.from(JSON.stringify({ event: 'contact.created', data: { text: 'x'.repeat(950) } }))
  const post = async (/** @type {string} */ url) => {
    const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(text).digest('base64')
    const signature = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
    const headers = { 'content-type': 'application/json', ...signature }
    const { statusCode, body } = await request(url, { method: 'POST', body: text, headers, dispatcher })
    await body.dump()
    if (statusCode !== 200) throw new Error(`an endpoint answered ${statusCode}`)
  }
  let count = 0
  const [startedAt, before] = [steadySeconds(), process.cpuUsage()]
  const loop = async (/** @type {string} */ url) => {
    for (; steadySeconds() - startedAt < seconds; count++) await post(url)
  }
  await Promise.all(urls.flatMap((url) => Array.from({ length: perUrl }, () => loop(url))))
  const elapsed = steadySeconds() - startedAt
  const cpu = process.cpuUsage(before)
  await dispatcher.close()
  return { count, perSecond: count / elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}
