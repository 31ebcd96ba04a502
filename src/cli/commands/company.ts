import { createCompany } from '../../operations/companies.js'
import { required, type Command } from '../command.js'

export const companyCommands: readonly Command[] = [
  {
    name: 'company create',
    group: 'Companies and users',
    summary: 'Create a company.',
    options: { name: { value: 'NAME', help: 'Name of the company.', isRequired: true } },
    run: ({ deps, actor }, values) => createCompany(deps, actor, { name: required(values, 'name') }),
  },
]
