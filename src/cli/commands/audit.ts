import { AUDIT_ACTION_NAMES } from '../../domain/audit/actions.ts'
import { isActorId, type AuditFilter } from '../../domain/audit/entry.ts'
import { auditAs, auditParts, listAudit } from '../../operations/audit.ts'
import { AUDIT_FORMATS, AUDIT_LINES, presentAuditEntry } from '../../presenters/audit.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { inGroup, UsageError, type CommandContext, type Values } from '../command.ts'
import { company, PART } from '../options.ts'
import { filterBy, pageOf, windowOf } from '../values.ts'

export const auditCommands = inGroup('Audit', [
  {
    name: 'audit list',
    summary: 'List who changed what in a company, newest first, or export all of it.',
    options: {
      company,
      actor: { value: 'ACTOR', help: 'Only what this one did: usr_…, key_…, cli, temporal or system.' },
      action: { value: 'ACTION', help: 'Only what was done of this kind, such as key.rotate: see below.' },
      target: { value: 'TARGET', help: 'Only what was done to the object with this id.' },
      since: { value: 'TIME', help: 'Only what was done at this ISO 8601 date or time, or later.' },
      until: { value: 'TIME', help: 'Only what was done before this ISO 8601 date or time.' },
      export: {
        value: 'FORMAT',
        help: `${AUDIT_FORMATS.join(' or ')}: print every entry on stdout, one a line, in place of a part.`,
      },
      ...PART,
    },
    columns: 'at, who=actor_name, actor, action, target_id, summary, ip',
    details: `Actions:\n  ${AUDIT_ACTION_NAMES.join('\n  ')}`,
    run: (context, values) => list(context, values.company, values),
  },
])

async function list({ deps, actor, write }: CommandContext, companyId: string, values: Values) {
  const filter = filterOf(values)
  const format = filterBy(values, 'export', AUDIT_FORMATS)
  if (format === undefined) {
    const page = await listAudit(deps, companyId, { ...pageOf(values), filter })
    return presentCursorPage(page, presentAuditEntry)
  }
  if (values['limit'] !== undefined || values['cursor'] !== undefined)
    throw new UsageError('--export prints every entry: leave --limit and --cursor out.')
  const { head, line } = AUDIT_LINES[format]
  let isFirst = true
  for await (const entries of auditParts(deps, companyId, filter)) {
    // Write the audit entry only after the first part was read, because reading it proves that the company exists.
    // Later parts have only older entries, so none of them prints this entry.
    if (isFirst)
      await auditAs({ companyId }, actor)(deps.db, 'audit.export', companyId, deps.clock(), { format })
    const text = `${isFirst ? head : ''}${entries.map(line).join('')}`
    isFirst = false
    if (text !== '' && !(await write(text))) return undefined
  }
  return undefined
}

function filterOf(values: Values): AuditFilter {
  const { actor, target } = values
  if (actor !== undefined && !isActorId(actor))
    throw new UsageError('--actor must be usr_…, key_…, cli, temporal or system.')
  return { ...windowOf(values), actor, target, action: filterBy(values, 'action', AUDIT_ACTION_NAMES) }
}
