import { randomUUID } from 'node:crypto'
import type { TestTenant } from './tenants.ts'

/** Events a second of each traffic. */
export const EVENTS_PER_SECOND = 20

/** When an accepted event was sent, and when its answer came; epoch milliseconds. */
export type Accepted = { readonly sentMs: number; readonly answeredMs: number }

export type Traffic = {
  /** The accepted events by their ids. */
  readonly published: ReadonlyMap<string, Accepted>
  /** Publishes no more. @throws the first error of a publish that got no answer */
  readonly stop: () => Promise<void>
}

/** Publishes events of a type at a steady rate. */
export function startTraffic(tenant: TestTenant, event: string): Traffic {
  const published = new Map<string, Accepted>()
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const publish = async (): Promise<void> => {
    const id = `evt_${randomUUID()}`
    const sentMs = Date.now()
    const { status } = await tenant.request('POST', '/api-v1-events', { id, event, data: {} })
    if (status === 201) published.set(id, { sentMs, answeredMs: Date.now() })
  }
  const timer = setInterval(() => {
    const work = publish()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }, 1_000 / EVENTS_PER_SECOND)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await Promise.all(underWay)
    if (errors.length > 0) throw errors[0]
  }
  return { published, stop }
}
