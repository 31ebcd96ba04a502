import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Repeats the check until it is true. @param what named in the error @throws Error when the time is over */
export async function waitUntil(
  what: string,
  check: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, intervalMs = 100 } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what} was not ready after ${timeoutMs / 1000} s`)
    await sleep(intervalMs)
  }
}

/** Connects and waits for an event of the socket. @returns what came with it; undefined when it did not come within 2 s */
async function answerOf(host: string, port: number, event: 'connect' | 'data') {
  const socket = connect({ host, port }).setTimeout(2000, () => socket.destroy())
  const closed = once(socket, 'close').then(() => undefined)
  const answer = await Promise.race([once(socket, event), closed]).catch(() => undefined)
  socket.destroy()
  return answer
}

/** Whether something listens there. */
export const tcpAnswers = async (host: string, port: number): Promise<boolean> =>
  (await answerOf(host, port, 'connect')) !== undefined

/**
 * The version of a MySQL or MariaDB server that takes logins. Such a server greets with protocol version 10 (fifth byte of its
 * first packet) and its version. A server that still starts sends nothing, and one that refuses sends an error packet (255).
 *
 * @returns such as "8.4.3" or "5.5.5-10.11.19-MariaDB"; undefined when it is not ready
 */
export async function databaseGreeting(host: string, port: number): Promise<string | undefined> {
  const [packet] = ((await answerOf(host, port, 'data')) ?? []) as Buffer[]
  return packet?.[4] === 10 ? packet.toString('latin1', 5).split('\0', 1)[0] : undefined
}

/** Whether a database there is ready for logins. */
export const databaseGreets = async (host: string, port: number): Promise<boolean> =>
  (await databaseGreeting(host, port)) !== undefined

/** Whether a GET answers 2xx. */
export const httpAnswers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) })
    .then((response) => response.arrayBuffer().then(() => response.ok))
    .catch(() => false)
