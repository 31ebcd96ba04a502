import { cpuPerThousand, readCpu, readWakeUps, type PerProcess } from '../support/figures.ts'
import type { Figure } from './figure.ts'
import type { LoadStack } from './programs.ts'

/** What the service had used by a moment. */
type Used = {
  readonly cpu: PerProcess
  readonly wakeUps: PerProcess
  readonly statements: number
  readonly lockWaits: number
}

const STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_row_lock_waits')"

/** Reads what the processes and the database have used so far. */
export async function readUsed({ db, pids }: Pick<LoadStack, 'db' | 'pids'>): Promise<Used> {
  const [rows] = (await db.raw(STATUS)) as [{ Variable_name: string; Value: string }[]]
  const count = (name: string) => Number(rows.find((row) => row.Variable_name === name)?.Value)
  const [cpu, wakeUps] = await Promise.all([readCpu(pids), readWakeUps(pids)])
  return { cpu, wakeUps, statements: count('Questions'), lockWaits: count('Innodb_row_lock_waits') }
}

/**
 * What the events cost between two moments. Idle work of the same time counts too.
 *
 * @returns cpu: seconds for 1,000 events by process; wakeUps and statements: for one event, of all processes
 */
export function costsBetween(before: Used, after: Used, events: number) {
  const each = (count: number) => count / Math.max(1, events)
  const all = (values: PerProcess) => Object.values(values).reduce((sum, value) => sum + value, 0)
  return {
    cpu: cpuPerThousand(before.cpu, after.cpu, events),
    wakeUps: each(all(after.wakeUps) - all(before.wakeUps)),
    statements: each(after.statements - before.statements),
    lockWaits: after.lockWaits - before.lockWaits,
  } satisfies Partial<Figure>
}
