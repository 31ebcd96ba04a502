import type { Db } from '../connection/connection.js'

/** The company of a key, or undefined when no key has the id. */
export async function findKeyCompany(db: Db, id: string): Promise<string | undefined> {
  const row = await db('api_keys').where({ id }).first<{ company_id: string } | undefined>('company_id')
  return row?.company_id
}

/** The company of a user who has not left, or undefined when no member has the id. */
export async function findUserCompany(db: Db, id: string): Promise<string | undefined> {
  const row = await db('users')
    .where({ id, left_at: null })
    .first<{ company_id: string } | undefined>('company_id')
  return row?.company_id
}
