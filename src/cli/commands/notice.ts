import { NOTICE_KINDS } from '../../domain/notice/notice.ts'
import { requireCompany } from '../../operations/companies.ts'
import { listNotices } from '../../operations/notice/read.ts'
import { listAllNotices } from '../../operations/operator/across-companies.ts'
import { presentOwnedNotice } from '../../presenters/notices.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { inGroup } from '../command.ts'
import { PART, tenantsOf } from '../options.ts'
import { filterByAny, pageOf } from '../values.ts'

export const noticeCommands = inGroup('Notices', [
  {
    name: 'notice list',
    summary:
      'List what somebody should know, newest first: failing webhooks, failed deliveries, expiring keys.',
    options: {
      company: {
        value: 'ID',
        help: 'Only those of this company, com_…; by default all, and those for you alone.',
      },
      kind: { value: 'KIND,…', help: `Only these: ${NOTICE_KINDS.join(', ')}.` },
      ...PART,
    },
    columns: ['created_at', 'kind', 'webhook_id', 'key_id', 'company_id', 'environment', 'message'],
    run: async ({ deps }, values) => {
      const request = { ...pageOf(values), filter: { kinds: filterByAny(values, 'kind', NOTICE_KINDS) } }
      const { company: companyId } = values
      if (companyId === undefined)
        return presentCursorPage(await listAllNotices(deps, request), presentOwnedNotice)
      await requireCompany(deps, companyId)
      const page = await listNotices(deps, tenantsOf(values, companyId), request)
      return presentCursorPage(page, presentOwnedNotice)
    },
  },
])
