import { requireCompany } from '../../operations/companies.ts'
import { listFailingWebhooks, tenantOfWebhook } from '../../operations/operator/across-companies.ts'
import { changeWebhook } from '../../operations/webhook/change.ts'
import { listOwnedWebhooks, showOwnedWebhook } from '../../operations/webhook/read.ts'
import { readWebhookStats } from '../../operations/webhook/read-stats.ts'
import { DEFAULT_STATS_WINDOW, STATS_WINDOWS } from '../../domain/webhook/stats.ts'
import { presentFailingWebhook, presentOwnedWebhook } from '../../presenters/operator.ts'
import { presentWholeList } from '../../presenters/pagination.ts'
import { presentStats } from '../../presenters/stats.ts'
import { inGroup, required, type CommandContext, type Values } from '../command.ts'
import { company, environmentFilter, PART, tenantsOf } from '../options.ts'
import { filterBy, pageOf } from '../values.ts'

export const GROUP = 'Webhooks and their endpoints'

export const id = { value: 'ID', help: 'The webhook, whk_….', isRequired: true }

export const webhookCommands = inGroup(GROUP, [
  {
    name: 'webhook list',
    summary: 'List the webhooks of a company with the health of their endpoints.',
    options: {
      company,
      env: environmentFilter,
      active: { value: 'BOOLEAN', help: 'Only active (true) or inactive (false) ones.' },
    },
    columns: [
      ...['id', 'name', 'environment', 'is_active', 'health.state', 'health.failing_since'],
      ...['total_deliveries', 'failed_deliveries', 'last_triggered_at', 'url'],
    ],
    run: async ({ deps }, values) => {
      const companyId = required(values, 'company')
      const tenants = tenantsOf(values, companyId)
      const active = filterBy(values, 'active', ['true', 'false'])
      await requireCompany(deps, companyId)
      const isActive = active === undefined ? undefined : active === 'true'
      return presentWholeList(await listOwnedWebhooks(deps, tenants, isActive), presentOwnedWebhook)
    },
  },
  {
    name: 'webhook failing',
    summary:
      'List the webhooks of all companies whose endpoints fail, those that fail for the longest time first.',
    options: { limit: PART.limit },
    columns: [
      ...['failing_since', 'waiting', 'last_error', 'first_attempts_held', 'id', 'name'],
      ...['company_id', 'company', 'environment'],
    ],
    run: async ({ deps }, values) =>
      presentWholeList(await listFailingWebhooks(deps, pageOf(values).limit), presentFailingWebhook),
  },
  {
    name: 'webhook show',
    summary: 'Show a webhook and why its endpoint gets nothing.',
    options: { id },
    run: ({ deps }, values) => show(deps, required(values, 'id')),
  },
  {
    name: 'webhook stats',
    summary: 'Show how many attempts succeeded and failed, why, and how long they took.',
    options: {
      id,
      window: {
        value: 'WINDOW',
        help: `${STATS_WINDOWS.join(', ')}: by hours, or by days in UTC; by default ${DEFAULT_STATS_WINDOW}.`,
      },
    },
    columns: [
      ...['starts_at', 'attempts', 'successes', 'by_class.3xx', 'by_class.4xx', 'by_class.5xx'],
      ...['by_class.none', 'p50_ms', 'p95_ms', 'p99_ms'],
    ],
    run: async ({ deps }, values) => {
      const webhookId = required(values, 'id')
      const window = filterBy(values, 'window', STATS_WINDOWS) ?? DEFAULT_STATS_WINDOW
      const tenant = await tenantOfWebhook(deps, webhookId)
      const read = await readWebhookStats(deps, tenant, webhookId, window)
      return { id: webhookId, company_id: tenant.companyId, ...presentStats(read) }
    },
  },
  {
    name: 'webhook enable',
    summary: 'Activate a webhook. What waits for it is sent, and failures of the past no longer count.',
    options: { id },
    run: (context, values) => setActive(context, values, true),
  },
  {
    name: 'webhook disable',
    summary: 'Deactivate a webhook. Open deliveries wait, and new events make none.',
    options: { id },
    run: (context, values) => setActive(context, values, false),
  },
])

/** A webhook as `webhook show` has it. */
export async function show(deps: CommandContext['deps'], webhookId: string): Promise<unknown> {
  const tenant = await tenantOfWebhook(deps, webhookId)
  const shown = presentOwnedWebhook(await showOwnedWebhook(deps, tenant, webhookId))
  return { company_id: tenant.companyId, ...shown }
}

async function setActive({ deps, actor }: CommandContext, values: Values, isActive: boolean) {
  const webhookId = required(values, 'id')
  await changeWebhook(deps, await tenantOfWebhook(deps, webhookId), actor, webhookId, { isActive })
  return show(deps, webhookId)
}
