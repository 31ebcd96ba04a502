import { countSubscribers } from '../../db/webhook/subscriptions.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { countDeliveries } from './plan-deliveries.ts'

/** Deliveries that one request may make; more would hold locks and a connection for seconds. */
export const MOST_DELIVERIES = 10_000
/** From more deliveries than this on, publishes of one company run one after another. */
const LARGE = 1_000

/** The size of a publish: `isLarge` ones run one after another. */
type PublishSize = { readonly isLarge: boolean }

/**
 * Counts how many deliveries the events will make. It needs no query where the number of events and the limit of webhooks show
 * that there cannot be many, as with every single event.
 *
 * @throws ApiError VALIDATION_ERROR that says how many there would be, when a batch makes too many
 */
export async function sizePublish(
  { db, config }: Deps,
  tenant: Tenant,
  events: readonly StoredEvent[],
): Promise<PublishSize> {
  if (events.length * config.webhooksPerTenant <= LARGE) return { isLarge: false }
  const subscribers = await countSubscribers(db, tenant, [...new Set(events.map(({ type }) => type))])
  const deliveries = countDeliveries(events, subscribers)
  // One event cannot be split; it makes as many deliveries as the operator allows webhooks.
  if (deliveries > MOST_DELIVERIES && events.length > 1) throw tooMany(deliveries)
  return { isLarge: deliveries > LARGE }
}

const tooMany = (deliveries: number): ApiError =>
  new ApiError(
    'VALIDATION_ERROR',
    `The events would make ${deliveries} deliveries, and a request may make ${MOST_DELIVERIES}: ` +
      `split them into ${Math.ceil(deliveries / MOST_DELIVERIES)} requests or more.`,
  )

/** Runs one large publish of a company at a time in this process. A few wait, without a database connection. */
export const createLargePublishLimit = (): ConcurrencyLimit =>
  new ConcurrencyLimit({
    running: 1,
    waiting: 16,
    waitMs: 5_000,
    message: `Publishes of more than ${LARGE} deliveries run one after another: send the next one when one is answered.`,
  })
