import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { Deps } from '../../src/deps/deps.ts'
import type { RotationGrace } from '../../src/domain/key/rotation.ts'
import type { Environment } from '../../src/domain/tenant.ts'
import { revokeApiKey, updateApiKey } from '../../src/operations/key/change.ts'
import { createApiKey, type ApiKeyInput } from '../../src/operations/key/create.ts'
import { showApiKey } from '../../src/operations/key/read.ts'
import { rotateApiKey } from '../../src/operations/key/rotate.ts'
import { createCompany } from '../../src/operations/companies.ts'
import { createUser, removeUser } from '../../src/operations/user/members.ts'

export type TestKey = { readonly id: string; readonly secret: string }

/** A company whose keys and users a test makes as an operator would. */
export type Keyring = Awaited<ReturnType<typeof createKeyring>>

export async function createKeyring(deps: Deps) {
  const { id: companyId } = await createCompany(deps, COMMAND_LINE, { name: 'Test company' })
  let users = 0
  return {
    companyId,
    /** A key, `admin:all` unless the test says otherwise. */
    create: async (input: Partial<ApiKeyInput> = {}, environment: Environment = 'live'): Promise<TestKey> => {
      const given = { name: 'test key', scopes: ['admin:all'], ...input }
      const { key, secret } = await createApiKey(deps, { companyId, environment }, COMMAND_LINE, given)
      return { id: key.id, secret }
    },
    change: (id: string, fields: Parameters<typeof updateApiKey>[4]) =>
      updateApiKey(deps, companyId, COMMAND_LINE, id, fields),
    revoke: (id: string) => revokeApiKey(deps, companyId, COMMAND_LINE, id),
    show: (id: string) => showApiKey(deps, companyId, id),
    rotate: (id: string, grace: RotationGrace = '1h', expiresAt?: Date | null) =>
      rotateApiKey(deps, companyId, COMMAND_LINE, id, { grace, expiresAt }),
    /** Removes a user. */
    remove: (userId: string) => removeUser(deps, companyId, COMMAND_LINE, userId),
    /** A member of the company. */
    user: async (email = `user${++users}@example.com`): Promise<string> => {
      const input = { email, name: 'A user', password: 'correct horse', role: 'member' } as const
      return (await createUser(deps, companyId, COMMAND_LINE, input)).id
    },
  }
}
