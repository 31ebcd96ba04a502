import { COMMAND_LINE } from '../../domain/actor.ts'
import { listOverviews } from '../../operations/delivery/overview.ts'
import { getDelivery, holdingOf, listLatestAttempts } from '../../operations/delivery/read.ts'
import { resendDelivery, retryDelivery } from '../../operations/delivery/again.ts'
import { ownerOfDelivery } from '../../operations/operator/across-companies.ts'
import { presentQueuedRetry } from '../../presenters/deliveries.ts'
import { presentOverview, presentOwnedDelivery } from '../../presenters/operator.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { inGroup, UsageError } from '../command.ts'
import { DELIVERY_FILTER, deliveryFilterOf, PART, SCOPE, scopeOf } from '../options.ts'
import { pageOf } from '../values.ts'

const id = { value: 'ID', help: 'The delivery, del_….', isRequired: true } as const

/** What a list shows of each delivery. */
export const DELIVERY_COLUMNS =
  'created_at, id, event_type, status, why, attempts/max_attempts, last_result, next_retry_at, environment, webhook_id'

export const deliveryCommands = inGroup('Events and deliveries', [
  {
    name: 'delivery list',
    summary: 'List deliveries of a company or a webhook, newest first, and why they did not arrive.',
    options: { ...SCOPE, ...DELIVERY_FILTER, ...PART },
    columns: DELIVERY_COLUMNS,
    run: async ({ deps }, values) => {
      const request = { ...pageOf(values), filter: deliveryFilterOf(values), withPayload: false }
      const scope = await scopeOf(deps, values)
      if (request.filter.record !== undefined && scope.tenants.length > 1)
        throw new UsageError('--record needs --env or --webhook: a record is of one environment.')
      const page = await listOverviews(deps, scope, request)
      return presentCursorPage(page, presentOverview)
    },
  },
  {
    name: 'delivery show',
    summary: 'Show a delivery with its payload and its latest attempts.',
    options: { id },
    columns:
      'number, started_at, duration_ms, dns/connect/tls/first byte ms=dns_ms/connect_ms/tls_ms/first_byte_ms, response_code, error, trigger, made_by, response_headers, response_body',
    run: async ({ deps }, { id: deliveryId }) => {
      const { tenant, webhookId } = await ownerOfDelivery(deps, deliveryId)
      const { webhook, delivery } = await getDelivery(deps, tenant, webhookId, deliveryId)
      const attempts = await listLatestAttempts(deps, tenant, delivery)
      const holding = await holdingOf(deps, tenant, webhook)
      const overview = { environment: tenant.environment, delivery, webhook: holding }
      return presentOwnedDelivery(overview, tenant.companyId, attempts)
    },
  },
  {
    name: 'delivery retry',
    summary: 'Queue another attempt of a delivery that has not succeeded.',
    options: { id },
    run: async ({ deps }, { id: deliveryId }) => {
      const arrivedAt = deps.clock()
      const { tenant, webhookId } = await ownerOfDelivery(deps, deliveryId)
      return presentQueuedRetry(
        await retryDelivery(deps, tenant, COMMAND_LINE, webhookId, deliveryId, arrivedAt),
      )
    },
  },
  {
    name: 'delivery resend',
    summary: 'Send the event of a delivery that has ended once more, also after a success.',
    options: { id },
    run: async ({ deps }, { id: deliveryId }) => {
      const { tenant, webhookId } = await ownerOfDelivery(deps, deliveryId)
      const { delivery, webhook } = await resendDelivery(deps, tenant, COMMAND_LINE, webhookId, deliveryId)
      return presentOverview({ environment: tenant.environment, delivery, webhook })
    },
  },
])
