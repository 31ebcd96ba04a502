import { once } from 'node:events'
import { connect } from 'node:net'
import { ATTACK_MS, callAtRate, count, keepCalling, showCounts, type Counts } from '../support/phases.ts'
import { startChild } from '../support/child.ts'
import type * as attacks from './attacks.ts'

/** What an attacker does, in a process of its own. `baseUrl` is that of an api on this machine. */
type Target = { readonly baseUrl: string }

/** Time for the answers after the last request was sent. */
const WAIT_MS = 10_000

/**
 * Sends 2,000 requests without a key on each of 100 connections, all of a connection at once, and reads until the api closes it or
 * has answered all. Gives the answers by status.
 */
export async function pipelineCalls({ baseUrl }: Target): Promise<Counts> {
  const [connections, requests] = [100, 2_000]
  const url = new URL(baseUrl)
  const bytes = `GET /api-v1-webhooks HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`.repeat(requests)
  const answers: Counts = {}
  await Promise.all(Array.from({ length: connections }, () => sendAll(url, bytes, requests, answers)))
  return answers
}

async function sendAll(
  { hostname, port }: URL,
  bytes: string,
  requests: number,
  answers: Counts,
): Promise<void> {
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1')
  socket.on('error', () => undefined)
  socket.setTimeout(WAIT_MS, () => socket.destroy())
  let left = requests
  let rest = ''
  socket.on('data', (text: string) => {
    const all = rest + text
    for (const [, status = ''] of all.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      count(answers, status)
      left--
    }
    // A status line may be cut in two.
    rest = all.slice(all.lastIndexOf('\n') + 1)
    if (left <= 0) socket.destroy()
  })
  socket.write(bytes)
  if (!socket.destroyed) await once(socket, 'close')
}

type Batches = Target & { readonly key: string; readonly type: string }

/** Publishes batches of 100 events again and again, with 450 clients at once. Gives the answers by status. */
export const publishBatches = (batches: Batches): Promise<Counts> =>
  keepCalling(450, ATTACK_MS, () => publish(batches))

/** Publishes 10 batches of 100 events a second, whatever the answers take. Gives the answers by status. */
export async function publishAtRate(batches: Batches): Promise<Counts> {
  const answers: Counts = {}
  const call = async () => {
    const answer = await publish(batches)
    count(answers, answer.status)
    return answer
  }
  await callAtRate(call, { seconds: ATTACK_MS / 1000, perSecond: 10 })
  return answers
}

async function publish({ baseUrl, key, type }: Batches): Promise<{ status: number }> {
  const response = await fetch(`${baseUrl}/api-v1-events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events: Array.from({ length: 100 }, () => ({ event: type, data: {} })) }),
  })
  await response.arrayBuffer()
  return response
}

/** Starts a process that attacks. */
export const startAttacker = () => startChild<typeof attacks>(new URL('./attacks.ts', import.meta.url))

/** An attack as `inTurns` takes it. `answers` gives all answers so far, such as "310 x 200, 24 x 429". */
export function repeated(begin: () => Promise<Counts>) {
  const sums: Counts = {}
  return {
    attack: () => {
      const counts = begin()
      return Promise.resolve(async () => {
        for (const [status, answers] of Object.entries(await counts)) count(sums, status, answers)
      })
    },
    answers: () => showCounts(sums),
  }
}
