import { EVENT_TYPES, type EventType } from '../../domain/event/catalog.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { requireCompany } from '../../operations/companies.ts'
import { listFailingWebhooks, tenantOfWebhook } from '../../operations/operator/across-companies.ts'
import { changeWebhook, deleteWebhook } from '../../operations/webhook/change.ts'
import { createWebhook } from '../../operations/webhook/create.ts'
import { sendTestEvent } from '../../operations/delivery/test-event.ts'
import { listOwnedWebhooks, showOwnedWebhook } from '../../operations/webhook/read.ts'
import { readWebhookStats } from '../../operations/webhook/read-stats.ts'
import { DEFAULT_STATS_WINDOW, STATS_WINDOWS } from '../../domain/webhook/stats.ts'
import { presentTestResult } from '../../presenters/deliveries.ts'
import { presentFailingWebhook, presentOwnedWebhook } from '../../presenters/operator.ts'
import { presentWholeList } from '../../presenters/pagination.ts'
import { presentCreatedWebhook } from '../../presenters/webhooks.ts'
import { presentStats } from '../../presenters/stats.ts'
import { inGroup, UsageError, type CommandContext } from '../command.ts'
import { confirm, yesOption } from '../terminal.ts'
import { company, environment as env, environmentFilter, PART, tenantOf, tenantsOf } from '../options.ts'
import { filterBy, pageOf, parseChoice, parseList, parseObject } from '../values.ts'

const id = { value: 'ID', help: 'The webhook, whk_….', isRequired: true } as const

export const webhookCommands = inGroup('Webhooks and their endpoints', [
  {
    name: 'webhook list',
    summary: 'List the webhooks of a company with the health of their endpoints.',
    options: {
      company,
      env: environmentFilter,
      active: { value: 'BOOLEAN', help: 'Only active (true) or inactive (false) ones.' },
    },
    columns:
      'id, name, environment, is_active, health.state, health.failing_since, total_deliveries, failed_deliveries, last_triggered_at, url',
    run: async ({ deps }, values) => {
      const tenants = tenantsOf(values, values.company)
      const active = filterBy(values, 'active', ['true', 'false'])
      await requireCompany(deps, values.company)
      const isActive = active && active === 'true'
      return presentWholeList(await listOwnedWebhooks(deps, tenants, isActive), presentOwnedWebhook)
    },
  },
  {
    name: 'webhook failing',
    summary:
      'List the webhooks of all companies whose endpoints fail, those that fail for the longest time first.',
    options: { limit: PART.limit },
    columns:
      'failing_since, waiting, last_error, first_attempts_held, id, name, company_id, company, environment',
    run: async ({ deps }, values) =>
      presentWholeList(await listFailingWebhooks(deps, pageOf(values).limit), presentFailingWebhook),
  },
  {
    name: 'webhook show',
    summary: 'Show a webhook and why its endpoint gets nothing.',
    options: { id },
    run: ({ deps }, { id: webhookId }) => show(deps, webhookId),
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
    columns:
      'starts_at, attempts, successes, by_class.3xx, by_class.4xx, by_class.5xx, by_class.none, p50_ms, p95_ms, p99_ms',
    run: async ({ deps }, values) => {
      const webhookId = values.id
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
    run: (context, { id: webhookId }) => setActive(context, webhookId, true),
  },
  {
    name: 'webhook disable',
    summary: 'Deactivate a webhook. Open deliveries wait, and new events make none.',
    options: { id },
    run: (context, { id: webhookId }) => setActive(context, webhookId, false),
  },
  {
    name: 'webhook create',
    summary: 'Create a webhook and show its signing secret, once.',
    options: {
      company,
      name: { value: 'NAME', help: 'Name of the webhook.', isRequired: true },
      url: { value: 'URL', help: 'The HTTPS endpoint that gets the events.', isRequired: true },
      events: { value: 'TYPE,…', help: `Of ${EVENT_TYPES.join(', ')}.`, isRequired: true },
      filter: { value: 'JSON', help: 'A condition: only events that match it make deliveries.' },
      env,
    },
    note: 'Keep the secret now: nothing shows it again.',
    run: async ({ deps, actor }, values) => {
      const tenant = tenantOf(values)
      await requireCompany(deps, values.company)
      const { name, url, filter } = values
      const input = {
        name,
        url,
        // The operation refuses unknown types.
        events: parseList('events', values.events) as EventType[],
        ...(filter !== undefined && { filter: parseFilterOption(filter) }),
      }
      return presentCreatedWebhook(await createWebhook(deps, tenant, actor, input))
    },
  },
  {
    name: 'webhook test',
    summary: 'Send a test event, wait for the answer of the endpoint, and show it.',
    options: {
      id,
      event: { value: 'TYPE', help: 'What it plays, such as contact.created; by default test.webhook.' },
      data: { value: 'JSON', help: 'Its data, a JSON object, in place of the example of its type.' },
    },
    needsTemporal: true,
    run: async ({ deps, actor }, { id: webhookId, event, data }) => {
      if (event === undefined && data !== undefined) throw new UsageError('--data needs --event.')
      const wanted = event !== undefined && {
        event: parseChoice('event', event, EVENT_TYPES),
        ...(data !== undefined && { data: parseObject('data', data) }),
      }
      const tenant = await tenantOfWebhook(deps, webhookId)
      const options = { wanted: wanted || undefined }
      return presentTestResult(await sendTestEvent(deps, tenant, actor, webhookId, options))
    },
  },
  {
    name: 'webhook delete',
    summary: 'Delete a webhook and cancel its open deliveries.',
    options: { id, yes: yesOption },
    run: async (context, values) => {
      const { deps, actor } = context
      const webhookId = values.id
      const tenant = await tenantOfWebhook(deps, webhookId)
      const { webhook, counters } = await showOwnedWebhook(deps, tenant, webhookId)
      await confirm(context, values, {
        what: `This deletes the webhook ${JSON.stringify(webhook.name)} and cancels its open deliveries (${counters.waiting})`,
        otherwise: 'Nothing was deleted.',
      })
      await deleteWebhook(deps, tenant, actor, webhookId)
      return { deleted: true }
    },
  },
  {
    name: 'webhook update',
    summary: 'Change the filter of a webhook: only events that match make deliveries.',
    options: {
      id,
      filter: {
        value: 'JSON',
        help: `A condition such as '{"data.stage":"won"}', or null for none.`,
        isRequired: true,
      },
    },
    run: async ({ deps, actor }, { id: webhookId, ...values }) => {
      const filter = parseFilterOption(values.filter)
      await changeWebhook(deps, await tenantOfWebhook(deps, webhookId), actor, webhookId, { filter })
      return show(deps, webhookId)
    },
  },
])

/** A webhook as `webhook show` prints it. */
async function show(deps: CommandContext['deps'], webhookId: string): Promise<unknown> {
  const tenant = await tenantOfWebhook(deps, webhookId)
  const shown = presentOwnedWebhook(await showOwnedWebhook(deps, tenant, webhookId))
  return { company_id: tenant.companyId, ...shown }
}

async function setActive({ deps, actor }: CommandContext, webhookId: string, isActive: boolean) {
  await changeWebhook(deps, await tenantOfWebhook(deps, webhookId), actor, webhookId, { isActive })
  return show(deps, webhookId)
}

/** Reads --filter; `null` means no filter. The operation checks the condition. */
const parseFilterOption = (text: string): Filter | null =>
  text === 'null' ? null : (parseObject('filter', text) as Filter)
