import Joi from 'joi'
import { describeScope, SCOPES } from '../domain/key/scopes.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../domain/pagination.ts'
import { ENVIRONMENTS, type Tenant } from '../domain/tenant.ts'
import { searchFields, type SearchTerms } from '../domain/search.ts'
import { UsageError, type Values } from './command.ts'
import { filterBy } from './values.ts'

/** Options that several commands have. */

export const company = { value: 'ID', help: 'The company, com_….', isRequired: true }

/** The text about scopes in the help of a command that takes them. */
export const SCOPE_LIST = [
  'Scopes:',
  ...SCOPES.map((scope) => `  ${scope.padEnd(20)} ${describeScope(scope)}`),
].join('\n')

/** The options of a list that is read in parts. */
export const PART = {
  limit: { value: 'N', help: `How many, 1 to ${MAXIMUM_PAGE_SIZE}; by default ${DEFAULT_PAGE_SIZE}.` },
  cursor: { value: 'CURSOR', help: 'The next part of the list: what the part before names.' },
}

/** The options of a list that may be searched. */
export const SEARCH = {
  q: {
    value: 'TEXT',
    help: 'Only those with this text in the payload, the latest answer or the URL, of the last 7 days unless --since says more.',
  },
  record: {
    value: 'ID',
    help: 'Only those of events about this record. Needs --env where --company is given.',
  },
}

/** Reads these options. @throws UsageError */
export function searchOf({ q, record }: Values): SearchTerms {
  const { error } = searchRules.validate({ q, record })
  if (error) throw new UsageError(`${error.message.replace(/^"(\w+)"/, '--$1')}.`)
  return { text: q, record }
}

const searchRules = Joi.object(searchFields)

export const environmentFilter = { value: 'ENV', help: 'Only live or test; by default both.' }

/** The tenants of a company whose records a list shows: both environments unless --env names one. */
export function tenantsOf(values: Values, companyId: string): Tenant[] {
  const wanted = filterBy(values, 'env', ENVIRONMENTS)
  const environments = wanted === undefined ? ENVIRONMENTS : [wanted]
  return environments.map((environment) => ({ companyId, environment }))
}
