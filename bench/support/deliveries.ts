import { setTimeout as sleep } from 'node:timers/promises'
import type { Receiver } from '../../scripts/receiver/receiver.ts'
import type { Api, BenchStack } from './stack.ts'

const WAIT_MS = 60_000
/** Events of one request. */
const BATCH = 100

/** The path of the receiver that gets the events of a type. */
type Endpoint = { readonly type: string; readonly path: string }

export type PublishTimes = {
  /** From each publish to its answer. */
  readonly acceptedMs: number[]
  /** From each answer to the request's arrival. */
  readonly receivedMs: number[]
}

/** Creates a webhook, with further fields. Gives its id. */
export async function subscribe(
  api: Api,
  receiver: Receiver,
  { type, path, ...fields }: Endpoint & Record<string, unknown>,
): Promise<string> {
  const body = { name: type, url: receiver.url(path), events: [type], ...fields }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', body)
  if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
  return data.id
}

type Load = { readonly endpoints: readonly Endpoint[]; readonly seconds: number; readonly perSecond: number }

/**
 * Publishes one event after the other, for the endpoints in turns, at a fixed rate whatever the answers take. Resolves once all
 * have arrived.
 */
async function measureDeliveries(
  api: Api,
  receiver: Receiver,
  { endpoints, seconds, perSecond }: Load,
): Promise<PublishTimes> {
  const before = endpoints.map(({ path }) => receiver.requestsTo(path).length)
  const answeredAt = new Map<string, number>()
  const acceptedMs: number[] = []
  const publish = async (event: string) => {
    const startedMs = performance.now()
    const { status, data } = await api('POST', '/api-v1-events', { event, data: {} })
    if (status !== 201) throw new Error(`a publish was answered with ${status}`)
    answeredAt.set(data.id, Date.now())
    acceptedMs.push(performance.now() - startedMs)
  }
  const publishes = []
  for (let n = 0; n < seconds * perSecond; n++) {
    publishes.push(publish(endpoints[n % endpoints.length]!.type))
    await sleep(1000 / perSecond)
  }
  await Promise.all(publishes)
  const receivedMs: number[] = []
  for (const [index, { path }] of endpoints.entries()) {
    const already = before[index] ?? 0
    const sent = Math.ceil((publishes.length - index) / endpoints.length)
    const requests = await receiver.waitFor(path, already + sent, { timeoutMs: WAIT_MS })
    for (const { headers, receivedAt } of requests.slice(already)) {
      const acceptedAt = answeredAt.get(String(headers['webhook-id'])) ?? NaN
      receivedMs.push(Math.max(0, receivedAt.getTime() - acceptedAt))
    }
  }
  return { acceptedMs, receivedMs }
}

/** Publishes as many events of a type as are wanted, in requests of 100. */
export async function publishMany(api: Api, event: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - sent) }, () => ({ event, data: {} }))
    const { status } = await api('POST', '/api-v1-events', { events })
    if (status !== 201) throw new Error(`${count} events were answered with ${status}`)
  }
}

const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
const WARM_UP_SECONDS = 2

/**
 * Creates a company of four webhooks with healthy endpoints, and a measurement of them under a light load: 10 events a second, of
 * which each takes about 30 ms of processor time of all processes together.
 */
export async function createNeighbour(
  { tenant, receiver }: Pick<BenchStack, 'tenant' | 'receiver'>,
  { seconds = 7, fields = {} }: { seconds?: number; fields?: Record<string, unknown> } = {},
) {
  const { companyId, api } = await tenant()
  const endpoints = TYPES.map((type) => ({ type, path: `/${companyId}/${type}` }))
  for (const endpoint of endpoints) await subscribe(api, receiver, { ...endpoint, ...fields })
  const measure = (forSeconds: number) =>
    measureDeliveries(api, receiver, { endpoints, seconds: forSeconds, perSecond: 10 })
  await measure(WARM_UP_SECONDS)
  return { api, measure: () => measure(seconds) }
}
