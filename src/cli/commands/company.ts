import { createCompany, showCompany } from '../../operations/companies.js'
import { listCompanies } from '../../operations/operator/owners.js'
import { presentCompany } from '../../presenters/operator.js'
import { presentCursorPage } from '../../presenters/pagination.js'
import { required, type Command } from '../command.js'
import { PART } from '../options.js'
import { partOf } from '../values.js'

const GROUP = 'Companies and users'

export const companyCommands: readonly Command[] = [
  {
    name: 'company create',
    group: GROUP,
    summary: 'Create a company.',
    options: { name: { value: 'NAME', help: 'Name of the company.', isRequired: true } },
    run: ({ deps, actor }, values) => createCompany(deps, actor, { name: required(values, 'name') }),
  },
  {
    name: 'company list',
    group: GROUP,
    summary: 'List the companies, the newest first.',
    options: PART,
    columns: ['id', 'name', 'created_at'],
    run: async ({ deps }, values) =>
      presentCursorPage(await listCompanies(deps, partOf(values)), presentCompany),
  },
  {
    name: 'company show',
    group: GROUP,
    summary: 'Show a company.',
    options: { id: { value: 'ID', help: 'The company, com_….', isRequired: true } },
    run: async ({ deps }, values) => presentCompany(await showCompany(deps, required(values, 'id'))),
  },
]
