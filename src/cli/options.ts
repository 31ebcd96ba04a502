import Joi from 'joi'
import type { SystemDeps } from '../deps/deps.ts'
import { describeScope, SCOPES } from '../domain/key/scopes.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../domain/pagination.ts'
import { ENVIRONMENTS, type Tenant } from '../domain/tenant.ts'
import { searchFields, type SearchTerms } from '../domain/search.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery/delivery.ts'
import { RESPONSE_CLASSES, type DeliveryFilter } from '../domain/delivery/lists.ts'
import { TEST_EVENT_TYPE } from '../domain/event/event.ts'
import { EVENT_TYPES } from '../domain/event/catalog.ts'
import { isEventId, isId } from '../domain/ids.ts'
import { requireCompany } from '../operations/companies.ts'
import { tenantOfWebhook } from '../operations/operator/across-companies.ts'
import { UsageError, isGiven, type Values } from './command.ts'
import { filterBy, filterByAny, parseChoice, windowOf } from './values.ts'

/** The options that several commands have. */

export const company = { value: 'ID', help: 'The company, com_….', isRequired: true } as const

/** The list of scopes in the help of a command that takes scopes. */
export const SCOPE_LIST = [
  'Scopes:',
  ...SCOPES.map((scope) => `  ${scope.padEnd(20)} ${describeScope(scope)}`),
].join('\n')

/** The options of a list that is read in parts. */
export const PART = {
  limit: { value: 'N', help: `How many, 1 to ${MAXIMUM_PAGE_SIZE}; by default ${DEFAULT_PAGE_SIZE}.` },
  cursor: { value: 'CURSOR', help: 'The next part of the list: what the part before names.' },
}

/** Names one environment. */
export const environment = { value: 'ENV', help: 'live (default) or test.' }

/** The tenant that --company and --env name. @throws ApiError VALIDATION_ERROR */
export function tenantOf({
  company: companyId,
  env = 'live',
}: Values & { readonly company: string }): Tenant {
  return { companyId, environment: parseChoice('env', env, ENVIRONMENTS) }
}

export const environmentFilter = { value: 'ENV', help: 'Only live or test; by default both.' }

/** The tenants of a company for a list: both environments, or only the one that --env names. */
export function tenantsOf(values: Values, companyId: string): Tenant[] {
  const wanted = filterBy(values, 'env', ENVIRONMENTS)
  const environments = wanted === undefined ? ENVIRONMENTS : [wanted]
  return environments.map((environment) => ({ companyId, environment }))
}

/** The options that choose the records of a list: those of a company, or those of one webhook. */
export const SCOPE = {
  company: { value: 'ID', help: 'The company, com_…. Give this or --webhook.' },
  webhook: { value: 'ID', help: 'The webhook, whk_….' },
  env: environmentFilter,
}

/** Reads the options of SCOPE. @throws UsageError; ApiError NOT_FOUND */
export async function scopeOf(
  deps: SystemDeps,
  values: Values,
): Promise<{ readonly tenants: readonly Tenant[]; readonly webhookId?: string }> {
  const { company: companyId, webhook: webhookId } = values
  if (companyId !== undefined && webhookId === undefined) {
    const tenants = tenantsOf(values, companyId)
    await requireCompany(deps, companyId)
    return { tenants }
  }
  if (webhookId === undefined || companyId !== undefined)
    throw new UsageError('Give either --company or --webhook.')
  if (isGiven(values, 'env'))
    throw new UsageError('--env goes with --company: a webhook has one environment.')
  return { tenants: [await tenantOfWebhook(deps, webhookId)], webhookId }
}

const UNDELIVERED: readonly DeliveryStatus[] = ['pending', 'retrying', 'failed']

/** The options that filter a list of deliveries: the filters of the API, in the words of the command line. */
export const DELIVERY_FILTER = {
  status: { value: 'STATUS,…', help: `Only these: ${DELIVERY_STATUSES.join(', ')}.` },
  undelivered: { help: 'Only what was accepted and not delivered: pending, retrying and failed.' },
  'event-type': { value: 'TYPE', help: 'Only those of this event type.' },
  'event-id': { value: 'EVENT_ID', help: 'Only those of this event, evt_….' },
  'delivery-id': { value: 'DELIVERY_ID', help: 'Only this one, del_….' },
  response: {
    value: 'CLASS',
    help: `Only those whose latest attempt was answered so: ${RESPONSE_CLASSES.join(', ')}. 5xx: 500 and above; none: not reached, or not attempted.`,
  },
  q: {
    value: 'TEXT',
    help: 'Only those with this text in the payload, the latest answer or the URL, of the last 7 days unless --since says more.',
  },
  record: {
    value: 'ID',
    help: 'Only those of events about this record. Needs --env where --company is given.',
  },
  since: { value: 'TIME', help: 'Only those created at this ISO 8601 date or time, or later.' },
  until: { value: 'TIME', help: 'Only those created before this ISO 8601 date or time.' },
}

/** Reads the options of DELIVERY_FILTER. @throws UsageError */
export function deliveryFilterOf(values: Values): DeliveryFilter {
  const eventId = values['event-id']
  if (eventId !== undefined && !isEventId(eventId)) throw new UsageError('--event-id must be evt_….')
  const deliveryId = values['delivery-id']
  if (deliveryId !== undefined && !isId('delivery', deliveryId))
    throw new UsageError('--delivery-id must be del_….')
  return {
    ...windowOf(values),
    statuses: statusesOf(values),
    eventType: filterBy(values, 'event-type', [...EVENT_TYPES, TEST_EVENT_TYPE]),
    eventId,
    deliveryId,
    response: filterBy(values, 'response', RESPONSE_CLASSES),
    ...searchOf(values),
  }
}

function statusesOf(values: Values): readonly DeliveryStatus[] | undefined {
  const statuses = filterByAny(values, 'status', DELIVERY_STATUSES)
  if (!isGiven(values, 'undelivered')) return statuses
  if (statuses) throw new UsageError('Give either --status or --undelivered.')
  return UNDELIVERED
}

const searchRules = Joi.object(searchFields)

function searchOf({ q, record }: Values): SearchTerms {
  const { error } = searchRules.validate({ q, record })
  if (error) throw new UsageError(`${error.message.replace(/^"(\w+)"/, '--$1')}.`)
  return { text: q, record }
}
