import { randomUUID } from 'node:crypto'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import type { TestTenant } from './tenants.ts'

/** Events a second of each traffic. */
export const EVENTS_PER_SECOND = 20
/** No more are published while a second's worth has not arrived: a busy machine would get ever further behind. */
const MOST_UNDER_WAY = EVENTS_PER_SECOND

export type Traffic = {
  /** When the answer to each accepted event came, by its id; epoch milliseconds. */
  readonly published: ReadonlyMap<string, number>
  /** Publishes no more. @throws the first error of a publish that got no answer */
  readonly stop: () => Promise<void>
}

/**
 * Publishes events of a type at a steady rate, as far as the service keeps up.
 *
 * @param requests those that have arrived at the endpoint so far
 */
export function startTraffic(
  tenant: TestTenant,
  event: string,
  requests: () => readonly ReceivedRequest[],
): Traffic {
  const published = new Map<string, number>()
  const answers = new Set<Promise<void>>()
  const underWay = new Set<string>()
  let seen = 0
  const errors: unknown[] = []
  const publish = async (): Promise<void> => {
    const id = `evt_${randomUUID()}`
    underWay.add(id)
    const { status } = await tenant.request('POST', '/api-v1-events', { id, event, data: {} })
    if (status === 201) published.set(id, Date.now())
    else underWay.delete(id)
  }
  const timer = setInterval(() => {
    const arrived = requests()
    for (; seen < arrived.length; seen++) underWay.delete(String(arrived[seen]!.headers['webhook-id']))
    if (underWay.size >= MOST_UNDER_WAY) return
    const work = publish()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => answers.delete(work))
    answers.add(work)
  }, 1_000 / EVENTS_PER_SECOND)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await Promise.all(answers)
    if (errors.length > 0) throw errors[0]
  }
  return { published, stop }
}
