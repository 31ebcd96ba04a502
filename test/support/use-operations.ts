import type { Deps } from '../../src/process/deps.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testDeps } from './deps.ts'
import { createKeyring, type Keyring } from './keyring.ts'

/** What the hooks have prepared; read it inside tests. */
export type OperationsInUse = {
  readonly database: TestDatabase
  readonly deps: Deps
  /** A company of its own for each test. */
  readonly keyring: Keyring
}

/** Prepares a database for the operations before the tests of the surrounding `describe`, and removes it after them. */
export function useOperations(): OperationsInUse {
  let prepared: OperationsInUse | undefined
  before(async () => {
    const database = await createTestDatabase()
    const deps = testDeps(database)
    prepared = { database, deps, keyring: await createKeyring(deps) }
  })
  beforeEach(async () => {
    const { deps } = here()
    prepared = { ...here(), keyring: await createKeyring(deps) }
  })
  after(() => prepared?.database.drop())

  function here(): OperationsInUse {
    if (prepared === undefined) throw new Error('database and keyring are there inside tests only')
    return prepared
  }
  return {
    get database() {
      return here().database
    },
    get deps() {
      return here().deps
    },
    get keyring() {
      return here().keyring
    },
  }
}
