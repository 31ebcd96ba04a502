import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { run } from '../../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import type { Db } from '../../src/db/connection/connection.ts'

const FILE = path.join(ROOT, 'docs', 'benchmarks.md')

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

/**
 * Replaces a part of docs/benchmarks.md, which the formatter then lays out.
 *
 * @param section the name in the markers of the part, `<!-- name -->` and `<!-- /name -->`
 */
export async function writeDocument(section: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${section} -->`, `<!-- /${section} -->`]
  const document = await readFile(FILE, 'utf8')
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no markers ${begin} and ${end}`)
  const before = document.slice(0, from + begin.length)
  await writeFile(FILE, `${before}\n\n${text}\n\n${document.slice(to)}`)
  const { code, output } = await run(packageBin('oxfmt'), [FILE], { cwd: ROOT })
  if (code !== 0) throw new Error(`The formatter refused ${FILE}: ${output}`)
}
