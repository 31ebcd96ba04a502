import type { Db } from '../../src/db/connection/connection.ts'

/**
 * Runs the work while the database refuses a write, such as `INSERT ON attempts`.
 *
 * @param condition selects the refused rows, such as `NEW.company_id = '…'`; by default all
 */
export async function whileRefused<T>(
  db: Db,
  write: string,
  work: () => Promise<T>,
  condition = 'TRUE',
): Promise<T> {
  const refuse = `IF ${condition} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF`
  await db.raw(`CREATE TRIGGER refuse_write BEFORE ${write} FOR EACH ROW ${refuse}`)
  try {
    return await work()
  } finally {
    await db.raw('DROP TRIGGER refuse_write')
  }
}
