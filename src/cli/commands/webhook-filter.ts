import type { Filter } from '../../domain/webhook/filter/condition.ts'
import { tenantOfWebhook } from '../../operations/operator/owners.ts'
import { changeWebhook } from '../../operations/webhook/change.ts'
import { showOwnedWebhook } from '../../operations/webhook/owned.ts'
import { presentOwnedWebhook } from '../../presenters/operator.ts'
import { required, type Command, type CommandContext, type Values } from '../command.ts'
import { parseObject } from '../values.ts'

export const webhookFilterCommands: readonly Command[] = [
  {
    name: 'webhook update',
    group: 'Webhooks and their endpoints',
    summary: 'Change the filter of a webhook: only events that match make deliveries.',
    options: {
      id: { value: 'ID', help: 'The webhook, whk_….', isRequired: true },
      filter: {
        value: 'JSON',
        help: `A condition such as '{"data.stage":"won"}', or null for none.`,
        isRequired: true,
      },
    },
    run: update,
  },
]

async function update({ deps, actor }: CommandContext, values: Values): Promise<unknown> {
  const webhookId = required(values, 'id')
  const filter = parseFilter(required(values, 'filter'))
  const tenant = await tenantOfWebhook(deps, webhookId)
  await changeWebhook(deps, tenant, actor, webhookId, { filter })
  const shown = presentOwnedWebhook(await showOwnedWebhook(deps, tenant, webhookId))
  return { company_id: tenant.companyId, ...shown }
}

/** Reads --filter; `null` stands for none. The operation checks the condition. */
export const parseFilter = (text: string): Filter | null =>
  text === 'null' ? null : (parseObject('filter', text) as Filter)
