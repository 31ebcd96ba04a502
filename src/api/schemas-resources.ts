import Joi from 'joi'
import { ID_PREFIXES } from '../domain/ids.js'
import { titleOf, type FamilyDescription, type ResourceFamily } from '../domain/resources.js'
import { instant, text, timestamp } from './schemas.js'

/** Any JSON object of the caller's own. */
const custom = () => Joi.object().unknown(true).description('Fields of your own.')

const RULES: Readonly<Record<ResourceFamily, Readonly<Record<string, Joi.Schema>>>> = {
  organizations: { name: text(255), domain: Joi.string().domain({ tlds: false }).max(253), custom: custom() },
  contacts: {
    name: text(255),
    email: Joi.string().email({ tlds: false }).max(254),
    phone: text(50),
    custom: custom(),
  },
  deals: {
    name: text(255),
    stage: text(100),
    amount: Joi.number().min(0).description('In whole units of the currency.'),
    currency: Joi.string()
      .pattern(/^[A-Z]{3}$/)
      .messages({
        'string.pattern.base': '{{#label}} must be the three capital letters of an ISO 4217 code',
      })
      .description('ISO 4217.'),
    custom: custom(),
  },
  activities: {
    type: Joi.string().valid('call', 'email', 'meeting', 'note'),
    subject: text(255),
    body: text(20_000),
    custom: custom(),
  },
  tasks: { name: text(255), due_at: instant(), completed: Joi.boolean(), custom: custom() },
}

/** Fields of answers that a body may repeat, so that GET -> PATCH round-trips; they are not stored. */
const READ_ONLY = { id: Joi.any().strip(), created_at: Joi.any().strip(), updated_at: Joi.any().strip() }

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
