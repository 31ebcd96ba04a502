import Joi from 'joi'
import { checkFields, text, TEXT_PATTERN, eventType } from '../fields/rules.ts'
import type { AllowedNetwork } from '../net/addresses.ts'
import type { Filter } from './filter/condition.ts'
import { customHeaders, endpointUrl, eventFilter } from './setting-rules.ts'

/** The settings of a webhook that a caller sends. */
export type WebhookSettings = {
  readonly name: string
  readonly description: string | null
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Custom headers of every delivery, in clear. */
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
  /** Whole seconds between attempts; null for the operator's schedule. */
  readonly retrySchedule: readonly number[] | null
  /** The condition for its events; null if there is none. */
  readonly filter: Filter | null
  /** Whether deliveries carry the header `traceparent`. */
  readonly sendTraceparent: boolean
}

/** The settings that a creation may leave out. */
export const DEFAULT_SETTINGS = {
  description: null,
  isActive: true,
  headers: {},
  maxRetries: 5,
  retrySchedule: null,
  filter: null,
  sendTraceparent: false,
} as const satisfies Partial<WebhookSettings>

export const MAXIMUM_MAX_RETRIES = 10

const LONGEST_RETRY_DELAY_S = 604_800

/**
 * The rule of each setting of a webhook. The api, the console and the command line use the same rules.
 *
 * @param allowedNetworks networks that the operator exempts from the address guard
 */
export const webhookFields = (allowedNetworks: readonly AllowedNetwork[]) => ({
  name: text(255).description('Display name.'),
  description: text(2000)
    .allow('', null)
    .description('What the webhook is for; null for none.')
    .meta({ jsonSchema: { pattern: `^$|${TEXT_PATTERN}` } }),
  url: endpointUrl(allowedNetworks),
  events: Joi.array()
    .items(eventType('"events" contains the unknown event type {{#shown}}'))
    .min(1)
    .max(100)
    .custom((events: readonly string[]) => [...new Set(events)])
    .description('The event types to receive. Repeats are collapsed; an update replaces the whole list.'),
  headers: customHeaders(),
  isActive: Joi.boolean().description('Whether events are delivered.'),
  maxRetries: Joi.number()
    .integer()
    .min(0)
    .max(MAXIMUM_MAX_RETRIES)
    .description(
      'How often a failed delivery is retried automatically. A change applies to new deliveries only.',
    ),
  retrySchedule: Joi.array()
    .items(Joi.number().integer().min(1).max(LONGEST_RETRY_DELAY_S))
    .min(1)
    .max(10)
    .allow(null)
    .description(
      'Whole seconds before each retry, with random jitter of up to 10 %; the last one repeats. null is the schedule of the service.',
    ),
  filter: eventFilter().allow(null),
  sendTraceparent: Joi.boolean().description(
    'Whether deliveries carry the header traceparent (W3C Trace Context), so that the trace of the event goes on at the endpoint.',
  ),
})

type Schemas = { readonly create: Joi.ObjectSchema; readonly change: Joi.ObjectSchema }

/** A process builds its schemas only once: the building takes long, and the networks come from the configuration. */
const schemas = new WeakMap<readonly AllowedNetwork[], Schemas>()

function schemasFor(allowedNetworks: readonly AllowedNetwork[]): Schemas {
  const known = schemas.get(allowedNetworks)
  // Stryker disable next-line ConditionalExpression: it only saves building them again
  if (known) return known
  const change = Joi.object(webhookFields(allowedNetworks))
  const built = { change, create: change.fork(['name', 'url', 'events'], (rule) => rule.required()) }
  schemas.set(allowedNetworks, built)
  return built
}

/** Checks the settings of a new webhook. @throws ApiError VALIDATION_ERROR that names every field with a fault */
export const checkNewWebhook = <Settings extends Partial<WebhookSettings>>(
  settings: Settings,
  allowedNetworks: readonly AllowedNetwork[],
): Settings => checkFields(schemasFor(allowedNetworks).create, settings) as Settings

/** Checks the settings in a change. @throws ApiError VALIDATION_ERROR */
export const checkWebhookChange = (
  settings: Partial<WebhookSettings>,
  allowedNetworks: readonly AllowedNetwork[],
): Partial<WebhookSettings> =>
  checkFields(schemasFor(allowedNetworks).change, settings) as Partial<WebhookSettings>
