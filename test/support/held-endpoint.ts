import type { TLSSocket } from 'node:tls'
import { until } from './poll.ts'
import { answer, type RawEndpoint } from './raw-endpoint.ts'
import type { StackEndpoints } from './stack-endpoints.ts'

/** An endpoint that answers when the test says so. */
export type HeldEndpoint = Pick<RawEndpoint, 'url' | 'requests'> & {
  /** How many connections finished their handshake so far. */
  handshakes(): number
  /** Waits for the request with that number, from 1. */
  arrived(number: number): Promise<void>
  /** Answers a request that waits, by its number. */
  answer(number: number, status: number): void
  /** Answers all requests that wait, and all that are still to come, at once. */
  answerAll(status: number): void
}

export async function startHeldEndpoint({ start }: Pick<StackEndpoints, 'start'>): Promise<HeldEndpoint> {
  const waiting = new Map<number, TLSSocket>()
  let status: number | undefined
  const endpoint = await start((socket, index) => {
    if (status === undefined) waiting.set(index + 1, socket)
    else socket.write(answer(status))
  })
  function give(number: number, code: number): void {
    waiting.get(number)?.write(answer(code))
    waiting.delete(number)
  }
  return {
    url: endpoint.url,
    requests: endpoint.requests,
    handshakes: () => endpoint.sockets.length,
    async arrived(number) {
      await until(
        () => endpoint.requests.length,
        (count) => count >= number,
        { withinMs: 40_000, what: `request ${number}` },
      )
    },
    answer: give,
    answerAll(code) {
      status = code
      for (const number of [...waiting.keys()]) give(number, code)
    },
  }
}
