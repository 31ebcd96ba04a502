import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { Deps } from '../../src/deps/deps.ts'
import type { Environment } from '../../src/domain/tenant.ts'
import { createApiKey, type ApiKeyInput } from '../../src/operations/key/create.ts'
import { createCompany } from '../../src/operations/companies.ts'
import { createUser } from '../../src/operations/user/create.ts'

export type TestKey = { readonly id: string; readonly secret: string }

/** A company whose keys and users a test makes as an operator would. */
export type Keyring = {
  readonly companyId: string
  /** A key, `admin:all` unless the test says otherwise. */
  readonly create: (input?: Partial<ApiKeyInput>, environment?: Environment) => Promise<TestKey>
  /** A member of the company. */
  user(email?: string): Promise<string>
}

export async function createKeyring(deps: Deps): Promise<Keyring> {
  const { id: companyId } = await createCompany(deps, COMMAND_LINE, { name: 'Test company' })
  let users = 0
  return {
    companyId,
    async create(input = {}, environment = 'live') {
      const given = { name: 'test key', scopes: ['admin:all'], ...input }
      const { key, secret } = await createApiKey(deps, { companyId, environment }, COMMAND_LINE, given)
      return { id: key.id, secret }
    },
    async user(email = `user${++users}@example.com`) {
      const input = { email, name: 'A user', password: 'correct horse', role: 'member' } as const
      return (await createUser(deps, companyId, COMMAND_LINE, input)).id
    },
  }
}
