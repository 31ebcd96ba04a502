import { randomBytes } from 'node:crypto'
import { connect, type Db } from '../../src/db/connection/connection.js'
import { migrate } from '../../src/db/schema.js'

export type TestDatabase = {
  readonly url: string
  readonly db: Db
  readonly batchDb: Db
  drop(): Promise<void>
}

/** A migrated database of its own on the server that `npm test` started; `drop` removes it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'))
  url.pathname = `/t_${randomBytes(6).toString('hex')}`
  await migrate(url.href)
  const db = connect(url.href)
  const batchDb = connect(url.href, { severalStatements: true, lockWaitS: 1 })
  return {
    url: url.href,
    db,
    batchDb,
    async drop() {
      await db.raw('DROP DATABASE ??', [url.pathname.slice(1)])
      await Promise.all([db.destroy(), batchDb.destroy()])
    },
  }
}

/** A variable that `npm test` sets; without it the test was started by hand. */
export function requiredEnv(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test -- <suite>`)
  return value
}
