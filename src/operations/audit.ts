import { listAudit, type WrittenEntry } from '../db/audit.js'
import { cursorPage, listCursor, readMoment, readPlace } from '../domain/list-cursor.js'
import type { CursorPage, CursorRequest } from '../domain/pagination.js'
import type { Deps } from '../process/deps.js'
import { requireCompany } from './companies.js'

/** The audit of a company, newest first. @throws ApiError NOT_FOUND, VALIDATION_ERROR for a wrong cursor */
export async function listAuditEntries(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
): Promise<CursorPage<WrittenEntry>> {
  await requireCompany({ db }, companyId)
  const before = readPlace(request, 2, ([moment, text]) => {
    const [at, number] = [readMoment(moment), Number(text)]
    return at && Number.isSafeInteger(number) ? { at, number } : undefined
  })
  const rows = await listAudit(db, companyId, { limit: request.limit + 1, before })
  return cursorPage(rows, request.limit, ({ at, number }) => listCursor(at.toISOString(), String(number)))
}
