import type { EventContext } from '../../domain/event/event.ts'
import { checkEventContext } from '../../domain/event/fields.ts'
import { EVENT_TYPES } from '../../domain/event/catalog.ts'
import { isClientEventId } from '../../domain/ids.ts'
import { ENVIRONMENTS } from '../../domain/tenant.ts'
import { invalid } from '../../domain/errors.ts'
import { requireCompany, requireUnsuspended } from '../../operations/companies.ts'
import { listEventDeliveries } from '../../operations/delivery/overview.ts'
import { publishEvents } from '../../operations/event/publish.ts'
import { getEvent, readPublisher } from '../../operations/event/read.ts'
import { presentEvent } from '../../presenters/operator.ts'
import { DELIVERY_COLUMNS } from './delivery.ts'
import { inGroup, type Values } from '../command.ts'
import { company, environment as env, tenantOf } from '../options.ts'
import { filterBy, parseChoice, parseObject } from '../values.ts'

export const eventCommands = inGroup('Events and deliveries', [
  {
    name: 'event publish',
    summary: 'Publish an event to the subscribed webhooks of a company.',
    options: {
      company: { value: 'ID', help: 'The company.', isRequired: true },
      env,
      type: { value: 'TYPE', help: `One of ${EVENT_TYPES.join(', ')}.`, isRequired: true },
      data: { value: 'JSON', help: 'The data of the event, a JSON object.', isRequired: true },
      id: {
        value: 'EVENT_ID',
        help: 'An id evt_… that you choose. An event is published only once under an id.',
      },
      previous: { value: 'JSON', help: 'The former values of the fields that changed, a JSON object.' },
      subject: { value: 'ID', help: 'Your id of what the event tells of.' },
      revision: { value: 'N', help: 'How many changes the subject had, this one included.' },
    },
    run: async ({ deps, actor }, values) => {
      const tenant = tenantOf(values)
      const input = {
        type: parseChoice('type', values.type, EVENT_TYPES),
        data: parseObject('data', values.data),
        ...optionalId(values.id),
        ...contextOf(values),
      }
      await requireUnsuspended(deps, tenant.companyId)
      const [event] = await publishEvents(deps, tenant, [input], { actor })
      if (!event) throw new Error('the event was not published')
      return { id: event.id, deliveries: event.deliveries }
    },
  },
  {
    name: 'event show',
    summary: 'Show an event and its latest 100 deliveries. delivery list --event-id lists all.',
    options: {
      id: { value: 'EVENT_ID', help: 'The event, evt_….', isRequired: true },
      company: { ...company, help: 'The company: event ids are unique in a company only.' },
      env,
    },
    columns: DELIVERY_COLUMNS,
    run: async ({ deps }, values) => {
      const environment = filterBy(values, 'env', ENVIRONMENTS) ?? 'live'
      const tenant = { companyId: values.company, environment }
      await requireCompany(deps, values.company)
      const event = await getEvent(deps, tenant, values.id)
      const deliveries = await listEventDeliveries(deps, tenant, event.id)
      return presentEvent(event, await readPublisher(deps, tenant, event), environment, deliveries)
    },
  },
])

/** Reads --previous, --subject and --revision, and checks them as the API does. */
function contextOf({ previous, subject, revision }: Values): EventContext {
  return checkEventContext({
    ...(previous !== undefined && { previous: parseObject('previous', previous) }),
    ...(subject !== undefined && { subject }),
    ...(revision !== undefined && { revision: Number(revision) }),
  })
}

function optionalId(id: string | undefined): { id?: string } {
  if (id === undefined) return {}
  if (isClientEventId(id)) return { id }
  throw invalid('--id must be evt_ and 1 to 64 letters, digits, _ or -, and not evt_test_….')
}
