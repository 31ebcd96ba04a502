import type { Migration } from './migration.ts'
import { indexes } from './steps.ts'

/**
 * Indexes for the filters of the audit. Each has the entries of one actor, action or target in the order of the list.
 * `audit_target` replaces `audit_subject`. MySQL and MariaDB build them without blocking writes.
 */
export const auditFilters: Migration = {
  name: '032-audit-filters',
  steps: [
    indexes('audit', {
      drop: { audit_subject: '(company_id, subject_id, id)' },
      add: {
        audit_target: '(company_id, subject_id, at)',
        audit_actor: '(company_id, actor, at)',
        audit_action: '(company_id, action, at)',
      },
    }),
  ],
}
