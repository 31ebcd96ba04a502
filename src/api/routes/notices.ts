import type { Deps } from '../../deps/deps.ts'
import { listNotices } from '../../operations/notice/read.ts'
import { presentNotice } from '../../presenters/notices.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { cursorListOf, HOW_TO_GO_ON } from '../schemas/common.ts'
import { noticeListQuery, startOf, windowOf } from '../schemas/lists.ts'
import { noticeSchema } from '../schemas/notices.ts'

/** What a person should know of the webhooks and keys of the company. */
export function noticeRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute('GET', '/api-v1-notices', {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listNotices',
    summary:
      'List notices by cursor: webhooks that fail or were deactivated, deliveries that failed, keys that expire',
    description: `${HOW_TO_GO_ON} Notices of a deleted webhook stay; their webhook is 404.`,
    query: noticeListQuery,
    answers: {
      200: { description: 'A part of the notices, newest first.', schema: cursorListOf(noticeSchema) },
    },
    handle: async ({ caller: { tenant }, query }) => {
      const request = { ...startOf(query), filter: { kinds: query.kind, ...windowOf(query) } }
      return { body: presentCursorPage(await listNotices(deps, [tenant], request), presentNotice) }
    },
  })
  return [list]
}
