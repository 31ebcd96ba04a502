import {
  createCompany,
  resumeCompany,
  requireCompany,
  suspendCompany,
  requireSecondFactor,
} from '../../operations/companies.ts'
import { listCompanies } from '../../operations/operator/across-companies.ts'
import { presentCompany } from '../../presenters/operator.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { inGroup } from '../command.ts'
import { yesOption } from '../terminal.ts'
import { deleteCompany, YES } from '../delete-company.ts'
import { exportCompany } from '../export-company.ts'
import { company as id, PART } from '../options.ts'
import { pageOf, parseChoice } from '../values.ts'

const SECOND_FACTOR_RULES = ['required', 'optional'] as const

export const companyCommands = inGroup('Companies and users', [
  {
    name: 'company create',
    summary: 'Create a company.',
    options: { name: { value: 'NAME', help: 'Name of the company.', isRequired: true } },
    run: ({ deps, actor }, { name }) => createCompany(deps, actor, { name }),
  },
  {
    name: 'company list',
    summary: 'List the companies, the newest first.',
    options: PART,
    columns: 'id, name, created_at, suspended_at',
    run: async ({ deps }, values) =>
      presentCursorPage(await listCompanies(deps, pageOf(values)), presentCompany),
  },
  {
    name: 'company show',
    summary: 'Show a company, and since when it is suspended.',
    options: { id },
    run: async ({ deps }, { id }) => presentCompany(await requireCompany(deps, id)),
  },
  {
    name: 'company suspend',
    summary: 'Suspend a company. Its API keys are refused, and its deliveries wait until it is resumed.',
    options: { id },
    run: async ({ deps, actor }, { id }) => presentCompany(await suspendCompany(deps, actor, id)),
  },
  {
    name: 'company resume',
    summary: 'End the suspension of a company. What waits for its active webhooks is sent.',
    options: { id },
    run: async ({ deps, actor }, { id }) => presentCompany(await resumeCompany(deps, actor, id)),
  },
  {
    name: 'company update',
    summary: 'Say whether the users of a company need a second factor.',
    details:
      'With optional an admin gets in again whose company asks for one that nobody has any more. API keys are not concerned.',
    options: {
      id,
      'second-factor': { value: 'RULE', help: `${SECOND_FACTOR_RULES.join(' or ')}.`, isRequired: true },
    },
    run: async ({ deps, actor }, { id, 'second-factor': wanted }) => {
      const rule = parseChoice('second-factor', wanted, SECOND_FACTOR_RULES)
      return presentCompany(await requireSecondFactor(deps, id, actor, rule === 'required'))
    },
  },
  {
    name: 'company export',
    summary: 'Write all that a company has to a file, one JSON document a line, without any secret.',
    details:
      'The last line has the type end: a file without it is not complete. The audit says who exported.',
    options: { id, to: { value: 'FILE', help: 'A file that is not there yet.', isRequired: true } },
    run: async ({ deps, actor, progress }, { id, to: file }) => {
      const show = (lines: number) => void (lines % 100 === 0 && progress.show(`${lines} lines`))
      const lines = await exportCompany(deps, actor, id, file, show)
      progress.end()
      return { file, lines }
    },
  },
  {
    name: 'company delete',
    summary: 'Delete a company and everything it has, for ever. Cut off, the same command goes on.',
    details: 'Its audit stays for AUDIT_RETENTION_DAYS, and names who deleted it.',
    options: { id, [YES]: yesOption },
    run: async (context, values) => ({
      deleted: true,
      rows: await deleteCompany(context, values.id, values),
    }),
  },
])
