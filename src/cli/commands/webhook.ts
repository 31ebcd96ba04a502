import { requireCompany } from '../../operations/companies.js'
import { tenantOfWebhook } from '../../operations/operator/owners.js'
import { changeWebhook } from '../../operations/webhook/change.js'
import { listWebhooksWithHealth, showWebhookWithHealth } from '../../operations/webhook/health.js'
import { presentWebhookHealth } from '../../presenters/operator.js'
import { required, type Command, type CommandContext, type Values } from '../command.js'
import { company, environmentFilter, tenantsOf } from '../options.js'
import { filterBy } from '../values.js'

const GROUP = 'Webhooks and their endpoints'

const id = { value: 'ID', help: 'The webhook, whk_….', isRequired: true }

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhook list',
    group: GROUP,
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
    run: list,
  },
  {
    name: 'webhook show',
    group: GROUP,
    summary: 'Show a webhook and why its endpoint gets nothing.',
    options: { id },
    run: ({ deps }, values) => show(deps, required(values, 'id')),
  },
  {
    name: 'webhook enable',
    group: GROUP,
    summary: 'Activate a webhook. What waits for it is sent, and failures of the past no longer count.',
    options: { id },
    run: (context, values) => setActive(context, values, true),
  },
  {
    name: 'webhook disable',
    group: GROUP,
    summary: 'Deactivate a webhook. Open deliveries wait, and new events make none.',
    options: { id },
    run: (context, values) => setActive(context, values, false),
  },
]

async function list({ deps }: CommandContext, values: Values): Promise<unknown> {
  const companyId = required(values, 'company')
  const tenants = tenantsOf(values, companyId)
  const active = filterBy(values, 'active', ['true', 'false'])
  await requireCompany(deps, companyId)
  const isActive = active === undefined ? undefined : active === 'true'
  return (await listWebhooksWithHealth(deps, tenants, isActive)).map(presentWebhookHealth)
}

async function show(deps: CommandContext['deps'], webhookId: string): Promise<unknown> {
  const tenant = await tenantOfWebhook(deps, webhookId)
  const shown = presentWebhookHealth(await showWebhookWithHealth(deps, tenant, webhookId))
  return { company_id: tenant.companyId, ...shown }
}

async function setActive(
  { deps, actor }: CommandContext,
  values: Values,
  isActive: boolean,
): Promise<unknown> {
  const webhookId = required(values, 'id')
  await changeWebhook(deps, await tenantOfWebhook(deps, webhookId), actor, webhookId, { isActive })
  return show(deps, webhookId)
}
