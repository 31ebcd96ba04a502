import Joi from 'joi'
import { envelopeOf } from '../../api/middleware/error-envelope.ts'
import { StreamedAnswer } from '../../api/routing/streamed-answer.ts'
import { auditFilterOf, auditFilters, auditListQuery, auditRecordSchema } from '../../api/schemas/audit.ts'
import { cursorListOf, cursorQuery, oneOf } from '../../api/schemas/common.ts'
import { cursorFields, startOf, withoutPages } from '../../api/schemas/lists.ts'
import { webhookTarget } from '../../api/routes/webhooks.ts'
import { auditAs, auditParts, listAudit } from '../../operations/audit.ts'
import { ConcurrencyLimit } from '../../operations/concurrency-limit.ts'
import { ApiError } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { AUDIT_FORMATS, AUDIT_LINES, presentAuditRecord, type AuditFormat } from '../../presenters/audit.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { refuseUnasked } from '../csrf.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'
import { keyTarget } from './keys.ts'

const answers = { 200: { schema: cursorListOf(auditRecordSchema) } }

const { created_after, created_before } = cursorFields

const exportQuery = withoutPages<Parameters<typeof auditFilterOf>[0] & { readonly format: AuditFormat }>({
  ...auditFilters,
  created_after,
  created_before,
  format: oneOf(AUDIT_FORMATS).required(),
})

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' }

/** Lists the audit of a key, of a webhook or of the company. Exports the company's audit. */
export function historyRoutes(deps: Deps): ConsoleRoute[] {
  const pageOf = async ({ companyId }: Tenant, request: Parameters<typeof listAudit>[2]) => ({
    body: presentCursorPage(await listAudit(deps, companyId, request), presentAuditRecord),
  })

  const ofKey = consoleRoute('GET', '/keys/:keyId/history', 'list', 'keys.read', {
    query: cursorQuery(),
    target: keyTarget(deps),
    answers,
    handle: ({ caller: { tenant }, target: { key }, query }) =>
      pageOf(tenant, { ...query, filter: { target: key.id } }),
  })

  const ofWebhook = consoleRoute('GET', '/webhooks/:id/history', 'list', 'webhooks.read', {
    query: cursorQuery(),
    target: webhookTarget(deps),
    answers,
    handle: ({ caller: { tenant }, target: { id }, query }) =>
      pageOf(tenant, { ...query, filter: { target: id } }),
  })

  const ofCompany = consoleRoute('GET', '/audit', 'report', 'audit.read', {
    query: auditListQuery,
    answers,
    handle: ({ caller: { tenant }, query }) =>
      pageOf(tenant, { ...startOf(query), filter: auditFilterOf(query) }),
  })

  return [ofKey, ofWebhook, ofCompany, exportRoute(deps)]
}

/** Limits on the exports that run at the same time in this process. Each export has a part of the audit in memory. */
const EXPORTS = { running: 2, runningInAll: 8, waiting: 0, waitMs: 10_000 }

/**
 * The audit as a file. Reads each part after the client has taken the part before it. Checks session and role again for
 * each part. If an export is cut off, the answer lacks the final chunk of HTTP. In JSON lines, the last line also says
 * why.
 */
function exportRoute(deps: Deps): ConsoleRoute {
  const exports = new ConcurrencyLimit({
    ...EXPORTS,
    message: `At most ${EXPORTS.running} exports of a company run at once: wait until one is over.`,
  })
  return consoleRoute('GET', '/audit/export', 'report', 'audit.read', {
    query: exportQuery,
    answers: { 200: { schema: Joi.string().allow('') } },
    handle: async ({ caller: { tenant, actor }, query: { format, ...query }, header, recheck }) => {
      refuseUnasked(header)
      const { companyId } = tenant
      const leave = await exports.enter(companyId)
      const now = deps.clock()
      // Leaves out entries that are written from now on, such as the entry of this export.
      const before = query.created_before
      const filter = auditFilterOf({ ...query, created_before: before && before < now ? before : now })
      await auditAs(tenant, actor)(deps.db, 'audit.export', companyId, now, { format }).catch(
        (error: unknown) => {
          leave()
          throw error
        },
      )
      const { head, line } = AUDIT_LINES[format]
      return {
        body: new StreamedAnswer({
          type: MEDIA_TYPES[format],
          fileName: `audit-${now.toISOString().slice(0, 10)}.${format}`,
          onEnd: leave,
          onFault: (error) => {
            const facts = { err: error, company_id: companyId }
            deps.log[error instanceof ApiError ? 'info' : 'warn'](facts, 'an export was cut off')
          },
          async *parts(within) {
            yield head
            const checked: typeof within = (read) => within(() => recheck().then(read))
            try {
              for await (const entries of auditParts(deps, companyId, filter, checked))
                yield entries.map(line).join('')
            } catch (error) {
              if (format === 'jsonl') yield `${JSON.stringify(envelopeOf(error))}\n`
              throw error
            }
          },
        }),
      }
    },
  })
}
