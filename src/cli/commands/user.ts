import { USER_ROLES } from '../../domain/user.js'
import { companyOfUser } from '../../operations/operator.js'
import { createUser, removeUser } from '../../operations/users.js'
import { required, type Command } from '../command.js'
import { parseChoice } from '../values.js'

export const userCommands: readonly Command[] = [
  {
    name: 'user create',
    group: 'Companies and users',
    summary: 'Make somebody a member of a company.',
    options: {
      company: { value: 'ID', help: 'The company.', isRequired: true },
      email: { value: 'EMAIL', help: 'Unique among the members of the company.', isRequired: true },
      name: { value: 'NAME', help: 'Name of the person.', isRequired: true },
      password: { value: 'PASSWORD', help: 'At least 8 characters.', isRequired: true },
      role: { value: 'ROLE', help: 'admin or member (default).' },
    },
    run: ({ deps, actor }, values) =>
      createUser(deps, required(values, 'company'), actor, {
        email: required(values, 'email'),
        name: required(values, 'name'),
        password: required(values, 'password'),
        role: parseChoice('role', values['role'] ?? 'member', USER_ROLES),
      }),
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
