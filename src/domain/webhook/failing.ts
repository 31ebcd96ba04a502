import type { Tenant } from '../tenant.ts'
import type { EndpointHealth } from './health.ts'

/** An active webhook whose endpoint fails, and whose it is. */
export type FailingWebhook = {
  readonly id: string
  readonly name: string
  readonly tenant: Tenant
  readonly companyName: string
  readonly health: EndpointHealth
  /** Deliveries that are pending or between two attempts. */
  readonly waiting: number
  /** When it was read. */
  readonly now: Date
}
