import type { Db } from '../../src/db/connection/connection.ts'

/** How many statements that contain the text the server is running now, on any connection; not this one. */
export async function countRunning(db: Db, text: string): Promise<number> {
  const [rows] = (await db.raw(
    'SELECT COUNT(*) AS running FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID() AND db = DATABASE()',
    [`%${text}%`],
  )) as [{ running: number }[]]
  return rows[0]?.running ?? 0
}
