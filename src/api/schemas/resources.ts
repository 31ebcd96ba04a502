import Joi from 'joi'
import { ID_PREFIXES } from '../../domain/ids.js'
import { titleOf, type FamilyDescription, type ResourceFamily } from '../../domain/event/resources.js'
import { DOMAIN_PATTERN, EMAIL_PATTERN } from '../openapi/patterns.js'
import type { Examples } from '../routing/route.js'
import { instant, readOnly, text, timestamp } from './common.js'

/** Any JSON object of the caller's own. */
const custom = () => Joi.object().unknown(true).description('Fields of your own.')

const NAME = text(255).description('Display name.')

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

const READ_ONLY = { id: readOnly(), created_at: readOnly(), updated_at: readOnly() }

type BodyExamples = { readonly create: Examples; readonly change: Examples }

/** Bodies of each family, for the description of the API. */
export const RESOURCE_EXAMPLES: Readonly<Record<ResourceFamily, BodyExamples>> = {
  organizations: {
    create: { 'An organization': { name: 'Example Organization', domain: 'example.com' } },
    change: { 'Another domain': { domain: 'example.org' } },
  },
  contacts: {
    create: {
      'A contact': {
        name: 'Example Contact',
        email: 'contact@example.com',
        phone: '+49 30 123456',
        custom: { source: 'fair' },
      },
    },
    change: { 'Without its phone': { phone: null } },
  },
  deals: {
    create: {
      'A deal': { name: 'Example Deal', stage: 'negotiation', amount: 12_500, currency: 'EUR' },
    },
    change: { 'Another stage': { stage: 'won' } },
  },
  activities: {
    create: { 'A call': { type: 'call', subject: 'Example call', body: 'They call back on Monday.' } },
    change: {},
  },
  tasks: {
    create: { 'A task': { name: 'Example task', due_at: '2026-01-20T12:00:00Z' } },
    change: { 'Complete it': { completed: true } },
  },
}

/** The body that creates a record: fields without a default are required. */
export const createResourceBody = (description: FamilyDescription) =>
  Joi.object({
    ...mapFields(description, (rule, absent) =>
      absent === undefined ? rule.required() : rule.default(absent),
    ),
    ...READ_ONLY,
  }).id(`New${titleOf(description.kind)}`)

/** The body that changes a record: every field is optional. */
export const changeResourceBody = (description: FamilyDescription) =>
  Joi.object({ ...mapFields(description, (rule) => rule), ...READ_ONLY }).id(
    `${titleOf(description.kind)}Change`,
  )

/** A record as answers and events show it: every field present. */
export const resourceSchema = (description: FamilyDescription) =>
  Joi.object({
    id: Joi.string()
      .pattern(new RegExp(`^${ID_PREFIXES[description.kind]}_[0-9a-f-]{36}$`))
      .required(),
    ...mapFields(description, (rule) => rule.required()),
    created_at: timestamp().required(),
    updated_at: timestamp().required(),
  }).id(titleOf(description.kind))

/** Fields that may be empty take null. */
function mapFields(
  { family, fields }: FamilyDescription,
  change: (rule: Joi.Schema, absent: unknown) => Joi.Schema,
): Record<string, Joi.Schema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, absent]) => {
      const rule = RULES[family][name]
      if (!rule) throw new Error(`no rule for the field ${name} of ${family}`)
      return [name, change(absent === null ? rule.allow(null) : rule, absent)]
    }),
  )
}
