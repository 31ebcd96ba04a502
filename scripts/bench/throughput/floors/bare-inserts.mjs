import { createConnection } from 'mysql2/promise'
import { steadySeconds } from '../clock.mjs'

const TABLE = 'bench_rows'

/**
 * Inserts rows of 1 KB, each with a commit of its own.
 *
 * @param {{ url: string, connections: number, seconds: number }} options url: of the database
 * @returns {Promise<{ count: number, perSecond: number, cpuSeconds: number }>} cpuSeconds: of this process
 */
export async function insertRows({ url, connections, seconds }) {
  const opened = await Promise.all(Array.from({ length: connections }, () => createConnection(url)))
  const [first] = opened
  await first?.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, body BLOB NOT NULL) ENGINE=InnoDB`)
  const body = Buffer.alloc(1024, 'x')
  let count = 0
  const [startedAt, before] = [steadySeconds(), process.cpuUsage()]
  await Promise.all(
    opened.map(async (connection) => {
      for (; steadySeconds() - startedAt < seconds; count++)
        await connection.query(`INSERT INTO ${TABLE} (body) VALUES (?)`, [body])
    }),
  )
  const elapsed = steadySeconds() - startedAt
  const cpu = process.cpuUsage(before)
  await first?.query(`DROP TABLE ${TABLE}`)
  await Promise.all(opened.map((connection) => connection.end()))
  return { count, perSecond: count / elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}
