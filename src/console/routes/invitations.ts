import {
  inviteUser,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  type InvitationInput,
} from '../../operations/user/invite.ts'
import { requireSecondFactor } from '../../operations/companies.ts'
import { cursorListOf, cursorQuery, dataOf } from '../../api/schemas/common.ts'
import { camelCased } from '../../domain/fields/case.ts'
import { presentInvitation, presentIssuedLink } from '../../presenters/console.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { companyRules, invitationSchema, issuedLink, revokedInvitation } from '../user-answers.ts'
import { presented, withData } from '../../api/routing/route.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'
import { companyRulesBody, invitationBody } from '../schemas.ts'

const made = presented(presentIssuedLink, 201)

/** The open invitations of the company, and what the company requires of its users. */
export function invitationRoutes(deps: Deps): ConsoleRoute[] {
  const list = consoleRoute('GET', '/invitations', 'list', 'users.create', {
    query: cursorQuery(),
    answers: { 200: { schema: cursorListOf(invitationSchema) } },
    handle: async ({ caller: { tenant }, query }) => ({
      body: presentCursorPage(await listInvitations(deps, tenant.companyId, query), presentInvitation),
    }),
  })

  const invite = consoleRoute('POST', '/invitations', 'write', 'users.create', {
    needsPassword: true,
    body: invitationBody,
    answers: { 201: { schema: dataOf(issuedLink) } },
    handle: ({ caller: { tenant, actor }, body, answerOnce }) => {
      const input = camelCased(body) as InvitationInput
      return answerOnce(made, (kept) => inviteUser(deps, tenant.companyId, actor, input, kept))
    },
  })

  const resend = consoleRoute('POST', '/invitations/:invitationId/resend', 'write', 'users.create', {
    needsPassword: true,
    answers: { 201: { schema: dataOf(issuedLink) } },
    handle: async ({ caller: { tenant, actor }, params }) =>
      made(await resendInvitation(deps, tenant.companyId, actor, params['invitationId'] ?? '')),
  })

  const revoke = consoleRoute('DELETE', '/invitations/:invitationId', 'write', 'users.remove', {
    answers: { 200: { schema: dataOf(revokedInvitation) } },
    handle: async ({ caller: { tenant, actor }, params }) => {
      await revokeInvitation(deps, tenant.companyId, actor, params['invitationId'] ?? '')
      return withData({ revoked: true })
    },
  })

  const rules = consoleRoute('PATCH', '/company', 'write', 'company.update', {
    needsPassword: true,
    body: companyRulesBody,
    answers: { 200: { schema: dataOf(companyRules) } },
    handle: async ({ caller: { tenant, actor }, body }) => {
      const company = await requireSecondFactor(deps, tenant.companyId, actor, body.second_factor_required)
      return withData({ second_factor_required: company.secondFactorRequiredAt !== null })
    },
  })

  return [list, invite, resend, revoke, rules]
}
