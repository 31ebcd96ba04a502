import { resetPasswordByLink, updateUser, type ResetPassword } from '../../operations/user/change.ts'
import { listUsers, showUser, removeUser } from '../../operations/user/members.ts'
import { cursorListOf, cursorQuery, dataOf } from '../../api/schemas/common.ts'
import { presented, withData, type ApiRequest } from '../../api/routing/route.ts'
import { camelCased } from '../../domain/fields/case.ts'
import { presentIssuedLink, presentUser } from '../../presenters/console.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { changedUser, issuedLink, removedUser, userSchema } from '../user-answers.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'
import { userChangeBody } from '../schemas.ts'
import { requirePassword } from '../console-sessions.ts'

/** The users of the company. Every change of a user's rights needs a recent password. */
export function userRoutes(deps: Deps): ConsoleRoute[] {
  const target = ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    showUser(deps, caller.tenant.companyId, params['userId'] ?? '')

  const list = consoleRoute('GET', '/users', 'list', 'users.read', {
    query: cursorQuery(),
    answers: { 200: { schema: cursorListOf(userSchema) } },
    handle: async ({ caller: { tenant, id }, query }) => {
      const page = await listUsers(deps, tenant.companyId, query)
      return { body: presentCursorPage(page, (user) => presentUser(user, id)) }
    },
  })

  const get = consoleRoute('GET', '/users/:userId', 'cheap', 'users.read', {
    target,
    answers: { 200: { schema: dataOf(userSchema) } },
    handle: ({ caller: { id }, target: user }) => withData(presentUser(user, id)),
  })

  const update = consoleRoute('PATCH', '/users/:userId', 'write', 'users.update', {
    target,
    body: userChangeBody,
    answers: { 200: { schema: dataOf(changedUser) } },
    handle: async ({ caller: { tenant, actor, id, session }, target: user, body }) => {
      if (Object.keys(body).some((field) => field !== 'name')) requirePassword(session)
      const changed = await updateUser(deps, tenant.companyId, actor, user.id, camelCased(body))
      return withData({ ...presentUser(changed.user, id), disabled_keys: changed.disabledKeys })
    },
  })

  const reset = consoleRoute('POST', '/users/:userId/reset-password', 'write', 'users.update', {
    needsPassword: true,
    target,
    answers: { 201: { schema: dataOf(issuedLink) } },
    handle: ({ caller: { tenant, actor }, target: user, answerOnce }) =>
      answerOnce(issued, (kept) => resetPasswordByLink(deps, tenant.companyId, actor, user.id, kept)),
  })

  const remove = consoleRoute('DELETE', '/users/:userId', 'write', 'users.remove', {
    needsPassword: true,
    target,
    answers: { 200: { schema: dataOf(removedUser) } },
    handle: async ({ caller: { tenant, actor }, target: user }) => {
      const { revokedKeys } = await removeUser(deps, tenant.companyId, actor, user.id)
      return withData({ removed: true, revoked_keys: revokedKeys })
    },
  })

  return [list, get, update, reset, remove]
}

const issued = presented((reset: ResetPassword) => presentIssuedLink(reset.issued), 201)
