import { cpus, totalmem } from 'node:os'
import type { Db } from '../../src/db/connection/connection.ts'

/** A Markdown table; the first row is its heading. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)))
  const [heading = '', ...lines] = rows.map((row) => {
    return `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  })
  return [heading, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines].join('\n')
}

/** The machine and the versions of its servers in one line. @param temporal version of its server */
export async function describeMachine(db: Db, temporal: string): Promise<string> {
  const [[row]] = (await db.raw('SELECT VERSION() AS version')) as [{ version: string }[]]
  const version = row?.version ?? ''
  const server = version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB of memory`
  return `${cpus().length} cores, ${memory}, Node ${process.versions.node}, ${server}, Temporal ${temporal}`
}
