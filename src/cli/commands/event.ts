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
import { inGroup, required, type Values } from '../command.ts'
import { filterBy, parseChoice, parseObject } from '../values.ts'

export const eventCommands = inGroup('Events and deliveries', [
  {
    name: 'event publish',
    summary: 'Publish an event to the subscribed webhooks of a company.',
    options: {
      company: { value: 'ID', help: 'The company.', isRequired: true },
      env: { value: 'ENV', help: 'live (default) or test.' },
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
      const companyId = required(values, 'company')
      const environment = parseChoice('env', values['env'] ?? 'live', ENVIRONMENTS)
      const input = {
        type: parseChoice('type', required(values, 'type'), EVENT_TYPES),
        data: parseObject('data', required(values, 'data')),
        ...optionalId(values['id']),
        ...contextOf(values),
      }
      await requireUnsuspended(deps, companyId)
      const [event] = await publishEvents(deps, { companyId, environment }, [input], { actor })
      if (!event) throw new Error('the event was not published')
      return { id: event.id, deliveries: event.deliveries }
    },
  },
  {
    name: 'event show',
    summary: 'Show an event and its latest 100 deliveries. delivery list --event-id lists all.',
    options: {
      id: { value: 'EVENT_ID', help: 'The event, evt_….', isRequired: true },
      company: {
        value: 'ID',
        help: 'The company: event ids are unique in a company only.',
        isRequired: true,
      },
      env: { value: 'ENV', help: 'live (default) or test.' },
    },
    columns: DELIVERY_COLUMNS,
    run: async ({ deps }, values) => {
      const environment = filterBy(values, 'env', ENVIRONMENTS) ?? 'live'
      const companyId = required(values, 'company')
      await requireCompany(deps, companyId)
      const tenant = { companyId, environment }
      const event = await getEvent(deps, tenant, required(values, 'id'))
      const deliveries = await listEventDeliveries(deps, tenant, event.id)
      return presentEvent(event, await readPublisher(deps, tenant, event), environment, deliveries)
    },
  },
])

/** What is checked as the API checks it. */
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
