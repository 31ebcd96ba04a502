import type { Db } from '../../src/db/connection/connection.ts'

/** Rows that the storage engine has handed up in this session: a count and no time. Ask within one transaction. */
export async function rowsRead(trx: Db): Promise<number> {
  const [status] = (await trx.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")) as [{ Value: string }[]]
  return status.reduce((sum, { Value }) => sum + Number(Value), 0)
}

/** Runs the work in a transaction and counts the rows that it reads. */
export function countRowsRead(db: Db, work: (trx: Db) => Promise<unknown>): Promise<number> {
  return db.transaction(async (trx) => {
    const before = await rowsRead(trx)
    await work(trx)
    return (await rowsRead(trx)) - before
  })
}
