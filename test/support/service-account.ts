import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { connect } from '../../src/db/connection/connection.ts'
import { requiredEnv } from './environment.ts'
import { makeOnce } from './make-once.ts'

/** All privileges of api, worker and command line in production. Only the migration changes the schema. */
export const SERVICE_PRIVILEGES = 'SELECT, INSERT, UPDATE, DELETE'

const USER = 't_service'

/**
 * Returns a test database's URL for an account with {@link SERVICE_PRIVILEGES} on the databases of tests (t_…) only. The run's
 * first caller creates the account. Its password derives from the administrator's, so runs on one server agree.
 *
 * @param url the administrator's
 */
export async function asServiceAccount(url: string): Promise<string> {
  const password = createHash('sha256').update(new URL(url).password).digest('hex').slice(0, 32)
  const server = new URL(url)
  server.pathname = '/'
  const name = `account-${createHash('sha256').update(server.href).digest('hex').slice(0, 12)}`
  await makeOnce(path.join(requiredEnv('TEST_RUN_DIR'), name), async (draft) => {
    const db = connect(requiredEnv('TEST_DATABASE_URL'), { poolSize: 1 })
    try {
      await db.raw(`CREATE USER IF NOT EXISTS '${USER}'@'%' IDENTIFIED BY '${password}'`)
      await db.raw(`GRANT ${SERVICE_PRIVILEGES} ON \`t\\_%\`.* TO '${USER}'@'%'`)
    } finally {
      await db.destroy()
    }
    await writeFile(draft, USER)
  })
  return Object.assign(new URL(url), { username: USER, password }).href
}
