import Joi from 'joi'
import { checkFields, DOMAIN_PATTERN, EMAIL_PATTERN, instant, text } from '../fields/rules.ts'
import { LONGEST_SUBJECT, type EventContext } from './event.ts'
import { RESOURCE_FAMILIES, type FamilyDescription, type Fields, type ResourceFamily } from './resources.ts'

/** The rule of each part that an event may have in addition to its data, for the api and the command line. */
export const eventContextFields = {
  subject: text(LONGEST_SUBJECT).description('Your id of what the event tells of.'),
  revision: Joi.number()
    .integer()
    .min(1)
    .description('Counts the changes of the subject, so that receivers drop what is older.'),
  previous: Joi.object().unknown(true).description('The former values of the fields that changed.'),
}

const CONTEXT = Joi.object<EventContext>(eventContextFields)

/** @throws ApiError VALIDATION_ERROR that names every field with a fault */
export const checkEventContext = (context: EventContext): EventContext => checkFields(CONTEXT, context)

/** Any JSON object of the caller's own. */
const custom = () => Joi.object().unknown(true).description('Fields of your own.')

const NAME = text(255).description('Display name.')

/** The rule of each field of each family. */
const RULES: Readonly<Record<ResourceFamily, Readonly<Record<string, Joi.Schema>>>> = {
  organizations: {
    name: NAME,
    domain: Joi.string()
      .domain({ tlds: false })
      .max(253)
      .description('A domain name, such as that of the website.')
      .meta({ jsonSchema: { pattern: DOMAIN_PATTERN } }),
    custom: custom(),
  },
  contacts: {
    name: NAME,
    email: Joi.string()
      .email({ tlds: false })
      .max(254)
      .description('An email address.')
      .meta({ jsonSchema: { pattern: EMAIL_PATTERN, format: null } }),
    phone: text(50).description('A telephone number, in any form.'),
    custom: custom(),
  },
  deals: {
    name: NAME,
    stage: text(100).description('A change of it publishes deal.stage_changed.'),
    amount: Joi.number().min(0).max(Number.MAX_SAFE_INTEGER).description('In whole units of the currency.'),
    currency: Joi.string()
      .pattern(/^[A-Z]{3}$/)
      .messages({
        'string.pattern.base': '{{#label}} must be the three capital letters of an ISO 4217 code',
      })
      .description('ISO 4217.'),
    custom: custom(),
  },
  activities: {
    type: Joi.string().valid('call', 'email', 'meeting', 'note').description('What took place.'),
    subject: text(255).description('What it was about.'),
    body: text(20_000).description('Notes of it.'),
    custom: custom(),
  },
  tasks: {
    name: NAME,
    due_at: instant(),
    completed: Joi.boolean().description('Turning true publishes task.completed.'),
    custom: custom(),
  },
}

/**
 * The fields of a family, each with its rule. A field whose default is null also accepts null.
 *
 * @param change adapts a rule. `absent` is the value of the field if a creation leaves it out; undefined for a required field
 */
export function resourceFields(
  { family, fields }: FamilyDescription,
  change: (rule: Joi.Schema, absent: unknown) => Joi.Schema,
): Record<string, Joi.Schema> {
  return Object.fromEntries(
    Object.entries(RULES[family]).map(([name, rule]) => {
      const absent = fields[name]
      return [name, change(absent === null ? rule.allow(null) : rule, absent)]
    }),
  )
}

const schemasOf = (toRule: (rule: Joi.Schema, absent: unknown) => Joi.Schema) =>
  Object.fromEntries(
    Object.values(RESOURCE_FAMILIES).map((description) => [
      description.family,
      Joi.object<Fields>(resourceFields(description, toRule)),
    ]),
  ) as Record<ResourceFamily, Joi.ObjectSchema<Fields>>

const NEW_RECORDS = schemasOf((rule, absent) => (absent === undefined ? rule.required() : rule))
const CHANGES = schemasOf((rule) => rule)

/** Checks the fields of a new record. @throws ApiError VALIDATION_ERROR that names every field with a fault */
export const checkNewRecord = ({ family }: FamilyDescription, given: Fields): Fields =>
  checkFields(NEW_RECORDS[family], given)

/** Checks the fields of a change of a record. @throws ApiError VALIDATION_ERROR */
export const checkRecordChange = ({ family }: FamilyDescription, given: Fields): Fields =>
  checkFields(CHANGES[family], given)
