import { randomBytes } from 'node:crypto'
import { connect, type Db } from '../../src/db/connection/connection.js'
import { migrate } from '../../src/db/schema.js'

export type TestDatabase = { readonly url: string; readonly db: Db; drop(): Promise<void> }

/** A migrated database of its own on the server that `npm test` started; `drop` removes it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'))
  url.pathname = `/t_${randomBytes(6).toString('hex')}`
  await migrate(url.href)
  const db = connect(url.href)
  return {
    url: url.href,
    db,
    async drop() {
      await db.raw('DROP DATABASE ??', [url.pathname.slice(1)])
      await db.destroy()
    },
  }
}

/** A variable that `npm test` sets; without it the test was started by hand. */
export function requiredEnv(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test -- <suite>`)
  return value
}
