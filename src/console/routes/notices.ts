import Joi from 'joi'
import { cursorListOf, dataOf } from '../../api/schemas/common.ts'
import { noticeListQuery, startOf, windowOf, type NoticeListQuery } from '../../api/schemas/lists.ts'
import { text } from '../../domain/fields/rules.ts'
import { markNotice, markNoticeForAll, markNoticesUpTo } from '../../operations/notice/marks.ts'
import { getNoticeForReader, listNoticesForReader } from '../../operations/notice/read.ts'
import { presentReadNotice } from '../../presenters/notices.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { openNotices, readNoticeSchema } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { consoleRoute, type ConsoleCaller, type ConsoleRoute } from '../route.ts'

const listQuery = (noticeListQuery as Joi.ObjectSchema).keys({
  state: Joi.valid('open', 'done').description('Only those that are open for the user, or those done.'),
}) as Joi.ObjectSchema<NoticeListQuery & { readonly state?: 'open' | 'done' }>

const doneBody = Joi.object<{ done: boolean }>({ done: Joi.boolean().required() }).id('NoticeDone')

const readerOf = ({ tenant, id }: ConsoleCaller) => ({ tenant, userId: id })

/** The notices of the environment with their state for the user. They can be marked as done for the user, or for all users. */
export function noticeRoutes(deps: Deps): ConsoleRoute[] {
  const answerOf = async (caller: ConsoleCaller, id: string) =>
    withData(presentReadNotice(await getNoticeForReader(deps, readerOf(caller), id)))

  const list = consoleRoute('GET', '/notices', 'list', 'notices.read', {
    query: listQuery,
    answers: { 200: { schema: cursorListOf(readNoticeSchema) } },
    handle: async ({ caller, query }) => {
      const isOpen = query.state === undefined ? undefined : query.state === 'open'
      const request = { ...startOf(query), filter: { kinds: query.kind, ...windowOf(query) }, isOpen }
      const page = await listNoticesForReader(deps, readerOf(caller), request)
      return { body: presentCursorPage(page, presentReadNotice) }
    },
  })

  const markUpTo = consoleRoute('PATCH', '/notices', 'write', 'notices.mark', {
    body: Joi.object<{ done_up_to: string }>({ done_up_to: text(64).required() }).id('NoticesDone'),
    answers: { 200: { schema: dataOf(openNotices) } },
    handle: async ({ caller, body }) =>
      withData({ open_notices: await markNoticesUpTo(deps, readerOf(caller), body.done_up_to) }),
  })

  const mark = consoleRoute('PATCH', '/notices/:noticeId', 'write', 'notices.mark', {
    body: doneBody,
    answers: { 200: { schema: dataOf(readNoticeSchema) } },
    handle: async ({ caller, params: { noticeId = '' }, body }) => {
      await markNotice(deps, readerOf(caller), noticeId, body.done)
      return answerOf(caller, noticeId)
    },
  })

  const markForAll = consoleRoute('PATCH', '/notices/:noticeId/for-all', 'write', 'notices.write', {
    body: doneBody,
    answers: { 200: { schema: dataOf(readNoticeSchema) } },
    handle: async ({ caller, params: { noticeId = '' }, body }) => {
      await markNoticeForAll(deps, caller.tenant, caller.actor, noticeId, body.done)
      return answerOf(caller, noticeId)
    },
  })

  return [list, markUpTo, mark, markForAll]
}
