import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { EVENT_TYPES, type EventType } from '../../domain/event/catalog.ts'
import { ENVIRONMENTS } from '../../domain/tenant.ts'
import { requireCompany } from '../../operations/companies.ts'
import { sendTestEvent } from '../../operations/delivery/test-event.ts'
import { tenantOfWebhook } from '../../operations/operator/across-companies.ts'
import { changeWebhook, deleteWebhook } from '../../operations/webhook/change.ts'
import { createWebhook } from '../../operations/webhook/create.ts'
import { showOwnedWebhook } from '../../operations/webhook/read.ts'
import { presentTestResult } from '../../presenters/deliveries.ts'
import { presentCreatedWebhook } from '../../presenters/webhooks.ts'
import { inGroup, required, UsageError } from '../command.ts'
import { confirm, yesOption } from '../terminal.ts'
import { company } from '../options.ts'
import { parseChoice, parseList, parseObject } from '../values.ts'
import { GROUP, id, show } from './webhook.ts'

const YES = 'yes'

/** Commands that begin, change, try and end a webhook. */
export const webhookLifeCommands = inGroup(GROUP, [
  {
    name: 'webhook create',
    summary: 'Create a webhook and show its signing secret, once.',
    options: {
      company,
      name: { value: 'NAME', help: 'Name of the webhook.', isRequired: true },
      url: { value: 'URL', help: 'The HTTPS endpoint that gets the events.', isRequired: true },
      events: { value: 'TYPE,…', help: `Of ${EVENT_TYPES.join(', ')}.`, isRequired: true },
      filter: { value: 'JSON', help: 'A condition: only events that match it make deliveries.' },
      env: { value: 'ENV', help: 'live (default) or test.' },
    },
    note: 'Keep the secret now: nothing shows it again.',
    run: async ({ deps, actor }, values) => {
      const companyId = required(values, 'company')
      const environment = parseChoice('env', values['env'] ?? 'live', ENVIRONMENTS)
      await requireCompany(deps, companyId)
      const { filter } = values
      const input = {
        name: required(values, 'name'),
        url: required(values, 'url'),
        // The operation refuses unknown ones.
        events: parseList(required(values, 'events')) as EventType[],
        ...(filter !== undefined && { filter: parseFilterOption(filter) }),
      }
      return presentCreatedWebhook(await createWebhook(deps, { companyId, environment }, actor, input))
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
    run: async ({ deps, actor }, values) => {
      const webhookId = required(values, 'id')
      const { event, data } = values
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
    options: { id, [YES]: yesOption },
    run: async (context, values) => {
      const { deps, actor } = context
      const webhookId = required(values, 'id')
      const tenant = await tenantOfWebhook(deps, webhookId)
      const { webhook, counters } = await showOwnedWebhook(deps, tenant, webhookId)
      await confirm(context, values, {
        what: `This deletes the webhook ${JSON.stringify(webhook.name)} and cancels its open deliveries (${counters.waiting})`,
        flag: YES,
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
    run: async ({ deps, actor }, values) => {
      const webhookId = required(values, 'id')
      const filter = parseFilterOption(required(values, 'filter'))
      await changeWebhook(deps, await tenantOfWebhook(deps, webhookId), actor, webhookId, { filter })
      return show(deps, webhookId)
    },
  },
])

/** Reads --filter; `null` stands for none. The operation checks the condition. */
const parseFilterOption = (text: string): Filter | null =>
  text === 'null' ? null : (parseObject('filter', text) as Filter)
