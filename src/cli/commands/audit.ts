import { listAuditEntries } from '../../operations/audit.ts'
import { presentAuditEntry } from '../../presenters/operator.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { required, type Command } from '../command.ts'
import { company, PART } from '../options.ts'
import { partOf } from '../values.ts'

export const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    group: 'Audit',
    summary: 'List who changed what in a company, newest first.',
    options: { company, ...PART },
    columns: ['at', 'actor', 'action', 'target_id', 'ip', 'details'],
    run: async ({ deps }, values) =>
      presentCursorPage(
        await listAuditEntries(deps, required(values, 'company'), partOf(values)),
        presentAuditEntry,
      ),
  },
]
