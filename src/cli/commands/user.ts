import { ALLOWABLE_SCOPES } from '../../domain/user/roles.ts'
import { USER_ROLES } from '../../domain/user/user.ts'
import { companyOfUser } from '../../operations/operator/across-companies.ts'
import { resetPassword, updateUser } from '../../operations/user/change.ts'
import { createUser, listUsers, removeUser } from '../../operations/user/members.ts'
import { presentChangedUser, presentMember } from '../../presenters/operator.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { inGroup, isGiven, type Values } from '../command.ts'
import { company, PART } from '../options.ts'
import { parseChoice, parseList, pageOf } from '../values.ts'

const id = { value: 'ID', help: 'The user.', isRequired: true } as const
const password = {
  value: 'PASSWORD',
  help: 'At least 8 characters. Without it a terminal asks, or stdin is read.',
}
const allowScopes = {
  value: 'SCOPE,…',
  help: 'Write scopes that a member may give to own Personal keys; "" for none.',
}
const ALLOWABLE = `A member's own keys may have every read scope, and of these the ones that are allowed:\n  ${ALLOWABLE_SCOPES.join(', ')}`

export const userCommands = inGroup('Companies and users', [
  {
    name: 'user create',
    summary: 'Make somebody a member of a company, who may sign in to the console.',
    options: {
      company,
      email: { value: 'EMAIL', help: 'Unique among the members of the company.', isRequired: true },
      name: { value: 'NAME', help: 'Name of the person.', isRequired: true },
      password,
      role: { value: 'ROLE', help: 'admin or member (default).' },
      'allow-scopes': allowScopes,
    },
    details: ALLOWABLE,
    run: async ({ deps, actor, secrets }, values) => {
      const { company: companyId, email, name, role = 'member' } = values
      const rights = { role: parseChoice('role', role, USER_ROLES), ...allowedScopesOf(values) }
      const password = values.password ?? (await secrets.read('Password: ', '--password'))
      const user = await createUser(deps, companyId, actor, { email, name, ...rights, password })
      return { id: user.id }
    },
  },
  {
    name: 'user list',
    summary: 'List the members of a company by email.',
    options: { company, ...PART },
    columns: 'id, email, name, role, created_at',
    run: async ({ deps }, values) =>
      presentCursorPage(await listUsers(deps, values.company, pageOf(values)), presentMember),
  },
  {
    name: 'user update',
    summary:
      'Change a role or a name, or unlock the second factor. Personal keys that are wider than the role permits are disabled.',
    options: {
      id,
      role: { value: 'ROLE', help: 'admin or member.' },
      'allow-scopes': allowScopes,
      name: { value: 'NAME', help: 'New name.' },
      'unlock-totp': { help: 'Take codes of the authenticator app again, which wrong ones have locked.' },
    },
    details: ALLOWABLE,
    run: async ({ deps, actor }, values) => {
      const { id: userId, role, name } = values
      const changes = {
        ...(role !== undefined && { role: parseChoice('role', role, USER_ROLES) }),
        ...(name !== undefined && { name }),
        ...(isGiven(values, 'unlock-totp') && { totpLockedAt: null }),
        ...allowedScopesOf(values),
      }
      const companyId = await companyOfUser(deps, userId)
      return presentChangedUser(await updateUser(deps, companyId, actor, userId, changes))
    },
  },
  {
    name: 'user reset-password',
    summary: 'Set another password, end all sessions, and switch the second factor off.',
    options: { id, password },
    run: async ({ deps, actor, secrets }, { id: userId, password }) => {
      const companyId = await companyOfUser(deps, userId)
      const wanted = password ?? (await secrets.read('New password: ', '--password'))
      return presentMember(await resetPassword(deps, companyId, actor, userId, wanted))
    },
  },
  {
    name: 'user remove',
    summary: 'End a membership and its sessions, and revoke every Personal key of the user.',
    options: { id },
    run: async ({ deps, actor }, { id: userId }) => {
      const { revokedKeys } = await removeUser(deps, await companyOfUser(deps, userId), actor, userId)
      return { removed: true, revoked_keys: revokedKeys }
    },
  },
])

const allowedScopesOf = (values: Values) =>
  values['allow-scopes'] === undefined
    ? {}
    : { allowedScopes: parseList('allow-scopes', values['allow-scopes']) }
