import { createConnection } from 'mysql2/promise'
import { steadySeconds } from '../clock.mjs'
import { keepRate } from '../pace.mjs'
import { summarise } from '../tally.mjs'

const TABLE = 'bench_rows'
const BODY = Buffer.alloc(1024, 'x')

/** @typedef {{ count: number, perSecond: number, cpuSeconds: number }} Inserted cpuSeconds: of this process */

/**
 * Inserts rows of 1 KB, each with a commit of its own, as fast as it can.
 *
 * @param {{ url: string, connections: number, seconds: number }} options url: of the database
 * @returns {Promise<Inserted>}
 */
export const insertRows = ({ url, connections, seconds }) =>
  measure({ url, connections }, async (inserts) => {
    let count = 0
    const startedAt = steadySeconds()
    await Promise.all(
      inserts.map(async (insert) => {
        for (; steadySeconds() - startedAt < seconds; count++) await insert()
      }),
    )
    return { count }
  })

/**
 * Inserts such rows over one connection at a fixed rate.
 *
 * @param {{ url: string, perSecond: number, seconds: number }} options
 * @returns {Promise<Inserted & { milliseconds: import('../tally.mjs').Times }>} milliseconds: from when an insert was due
 */
export const insertAtRate = ({ url, ...rate }) =>
  measure({ url, connections: 1 }, async ([insert]) => {
    /** @type {number[]} */
    const milliseconds = []
    await new Promise((resolve, reject) => {
      const total = keepRate(rate, (dueAt) => {
        insert().then(() => {
          milliseconds.push((steadySeconds() - dueAt) * 1000)
          if (milliseconds.length === total) resolve(undefined)
        }, reject)
      })
    })
    return { count: milliseconds.length, milliseconds: summarise(milliseconds) }
  })

/**
 * Runs the work on a table of its own.
 *
 * @template {{ count: number }} T
 * @param {{ url: string, connections: number }} options
 * @param {(inserts: (() => Promise<unknown>)[]) => Promise<T>} work gets one function for each connection
 * @returns {Promise<T & Inserted>}
 */
async function measure({ url, connections }, work) {
  const opened = await Promise.all(Array.from({ length: connections }, () => createConnection(url)))
  const [first] = opened
  await first?.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, body BLOB NOT NULL) ENGINE=InnoDB`)
  const inserts = opened.map(
    (connection) => () => connection.query(`INSERT INTO ${TABLE} (body) VALUES (?)`, [BODY]),
  )
  const [startedAt, before] = [steadySeconds(), process.cpuUsage()]
  const done = await work(inserts)
  const elapsed = steadySeconds() - startedAt
  const cpu = process.cpuUsage(before)
  await first?.query(`DROP TABLE ${TABLE}`)
  await Promise.all(opened.map((connection) => connection.end()))
  return { ...done, perSecond: done.count / elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}
