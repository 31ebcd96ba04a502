import { USER_ROLES } from '../../domain/user.js'
import { companyOfUser } from '../../operations/operator/owners.js'
import { createUser, listUsers, removeUser } from '../../operations/users.js'
import { presentMember } from '../../presenters/operator.js'
import { presentCursorPage } from '../../presenters/pagination.js'
import { required, type Command } from '../command.js'
import { company, PART } from '../options.js'
import { parseChoice, partOf } from '../values.js'

export const userCommands: readonly Command[] = [
  {
    name: 'user create',
    group: 'Companies and users',
    summary: 'Make somebody a member of a company.',
    options: {
      company,
      email: { value: 'EMAIL', help: 'Unique among the members of the company.', isRequired: true },
      name: { value: 'NAME', help: 'Name of the person.', isRequired: true },
      password: {
        value: 'PASSWORD',
        help: 'At least 8 characters. Without it a terminal asks, or stdin is read.',
      },
      role: { value: 'ROLE', help: 'admin or member (default).' },
    },
    run: async ({ deps, actor, secrets }, values) => {
      const input = {
        email: required(values, 'email'),
        name: required(values, 'name'),
        role: parseChoice('role', values['role'] ?? 'member', USER_ROLES),
      }
      const password = values['password'] ?? (await secrets.read('Password: ', '--password'))
      return createUser(deps, required(values, 'company'), actor, { ...input, password })
    },
  },
  {
    name: 'user list',
    group: 'Companies and users',
    summary: 'List the members of a company by email.',
    options: { company, ...PART },
    columns: ['id', 'email', 'name', 'role', 'created_at'],
    run: async ({ deps }, values) =>
      presentCursorPage(await listUsers(deps, required(values, 'company'), partOf(values)), presentMember),
  },
  {
    name: 'user remove',
    group: 'Companies and users',
    summary: 'End a membership and revoke every Personal key of the user.',
    options: { id: { value: 'ID', help: 'The user.', isRequired: true } },
    run: async ({ deps, actor }, values) => {
      const id = required(values, 'id')
      const { revokedKeys } = await removeUser(deps, await companyOfUser(deps, id), actor, id)
      return { removed: true, revoked_keys: revokedKeys }
    },
  },
]
