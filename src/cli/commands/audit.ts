import { listAuditEntries } from '../../operations/audit.js'
import { presentAuditEntry } from '../../presenters/operator.js'
import { presentCursorPage } from '../../presenters/pagination.js'
import { required, type Command } from '../command.js'
import { company, PART } from '../options.js'
import { partOf } from '../values.js'

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
