import { startRawEndpoint, type RawEndpoint, type Respond, answer } from './raw-endpoint.ts'
import type { StackInUse } from './use-stack.ts'
import type { TLSSocket } from 'node:tls'
import { untilAtLeast } from './poll.ts'
import { createContact, createTestWebhook } from './tenants.ts'

export type StackEndpoints = { readonly start: (respond: Respond) => Promise<RawEndpoint> }

/** Raw endpoints with the certificate of the stack's receiver, which its workers trust. They close after the tests. */
export function useEndpointsOn(use: Pick<StackInUse, 'stack'>): StackEndpoints {
  const started: RawEndpoint[] = []
  after(() => Promise.all(started.map((endpoint) => endpoint.close())))
  return {
    start: async (respond) => {
      const endpoint = await startRawEndpoint(use.stack.certificate, respond)
      started.push(endpoint)
      return endpoint
    },
  }
}

export type HeldEndpoint = Awaited<ReturnType<typeof startHeldEndpoint>>

/** An endpoint that answers when the test says so. */
export async function startHeldEndpoint({ start }: StackEndpoints) {
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
    /** How many connections have finished their handshake. */
    handshakes: () => endpoint.sockets.length,
    /** Waits for the request with that number, counted from 1. */
    arrived: (number: number) =>
      untilAtLeast(() => endpoint.requests.length, number, { withinMs: 40_000, what: `request ${number}` }),
    /** Answers a waiting request by its number. */
    answer: give,
    /** Answers all waiting requests now, and all later requests when they arrive. */
    answerAll(code: number): void {
      status = code
      for (const number of [...waiting.keys()]) give(number, code)
    },
  }
}

/** Registers hooks. @returns publishes to a new webhook with its own endpoint, where the first request then waits */
export function useHeldDeliveries(use: StackInUse) {
  const endpoints = useEndpointsOn(use)
  return async (fields: Record<string, unknown> = {}, tenant = use.tenant) => {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(use.stack, tenant, { url: endpoint.url, ...fields })
    await createContact(tenant)
    await endpoint.arrived(1)
    const [{ id }] = (await webhook.deliveries()) as [{ id: string }]
    return { endpoint, webhook, id }
  }
}
