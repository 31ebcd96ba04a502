import type { Deps } from '../../deps/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import { listAudit } from '../../operations/audit.ts'
import { presentAuditRecord } from '../../presenters/audit.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { auditFilterOf, auditListQuery, auditRecordSchema } from '../schemas/audit.ts'
import { cursorListOf, HOW_TO_GO_ON } from '../schemas/common.ts'
import { startOf } from '../schemas/lists.ts'

/** Who changed what in the company. */
export function auditRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute('GET', '/api-v1-audit', {
    cost: 'report',
    scope: 'read:all',
    operationId: 'listAudit',
    summary: 'List by cursor who changed what in the company, when and from where',
    description: `${HOW_TO_GO_ON} The audit is the company's, of both environments together, so a key of the sandbox gets a 403.`,
    query: auditListQuery,
    answers: {
      200: { description: 'A part of the entries, newest first.', schema: cursorListOf(auditRecordSchema) },
    },
    handle: async ({ caller: { tenant }, query }) => {
      if (tenant.environment !== 'live') throw liveKeysOnly()
      const request = { ...startOf(query), filter: auditFilterOf(query) }
      return { body: presentCursorPage(await listAudit(deps, tenant.companyId, request), presentAuditRecord) }
    },
  })
  return [list]
}

/** What a `test` key sees is what test keys wrote; entries of the audit have no environment. */
const liveKeysOnly = () =>
  new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    'The audit is of both environments: only a live key reads it, with the scope read:all or admin:all.',
  )
