import Joi from 'joi'
import { FIRST_PART } from '../../domain/event/copy-cursor.ts'
import { titleOf, type FamilyDescription, type ResourceFamily } from '../../domain/event/resources.ts'
import { resourceFields } from '../../domain/event/fields.ts'
import type { Examples } from '../routing/route.ts'
import { all, count, idOf, objectOf, time } from './answer-fields.ts'
import { limitQuery, pageQuery, readOnly } from './common.ts'

const READ_ONLY = readOnly('id', 'revision', 'created_at', 'updated_at')

type BodyExamples = { readonly create: Examples; readonly change: Examples }

/** Example bodies of each family, for the OpenAPI document. */
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

/** The body that creates a record. Fields without a default are required. */
export const createResourceBody = (description: FamilyDescription) =>
  Joi.object({
    ...resourceFields(description, (rule, absent) =>
      absent === undefined ? rule.required() : rule.default(absent),
    ),
    ...READ_ONLY,
  }).id(`${titleOf(description.entity)}Input`)

/** The body that changes a record. All fields are optional. */
export const changeResourceBody = (description: FamilyDescription) =>
  Joi.object({ ...resourceFields(description, (rule) => rule), ...READ_ONLY }).id(
    `${titleOf(description.entity)}Change`,
  )

/** A record as answers and events show it. All fields are present. */
export const resourceSchema = (description: FamilyDescription) =>
  objectOf({
    id: idOf(description.entity),
    ...resourceFields(description, (rule) => rule),
    revision: count
      .min(1)
      .description('1 at creation, and 1 more with every change; events of the record carry it.'),
    ...all(time, 'created_at', 'updated_at'),
  }).id(titleOf(description.entity))

type ListQuery = { readonly limit: number; readonly page?: number; readonly cursor?: string }

/** The query of a list of records: a page, or a part of a copy by cursor. */
export const resourceListQuery = Joi.object<ListQuery>({
  limit: limitQuery(),
  page: pageQuery('Page number, from 1, which is the default. Not with cursor.'),
  cursor: Joi.string()
    .max(200)
    .description(`${FIRST_PART} for the first part of a copy, then next_cursor of the part before.`),
})
  .oxor('page', 'cursor')
  .messages({
    'object.oxor':
      '"page" and "cursor" do not go together: send page to list by page, or cursor to copy the list',
  })
