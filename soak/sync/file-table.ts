import { appendFileSync } from 'node:fs'
import { readWholeLines } from '../../scripts/lib/processes.ts'

/** What a copy has of a record; `record` is null once it was deleted. */
export type Held = { readonly revision: number; readonly record: unknown }

type Line = { readonly rows: readonly (readonly [id: string, held: Held])[]; readonly place: unknown }

/**
 * The table of a copy, as the program of docs/api-clients.md wants it, in a file with a line for each transaction. A kill may cut
 * the last line: that transaction does not count.
 */
export class FileTable {
  readonly rows: Map<string, Held>
  readonly #file: string
  #place: unknown
  #changed: Line['rows'][number][] = []

  constructor(file: string) {
    this.#file = file
    const lines = readWholeLines<Line>(file)
    this.rows = new Map(lines.flatMap(({ rows }) => rows))
    this.#place = lines.at(-1)?.place
  }

  place(): unknown {
    return this.#place
  }

  revisionOf(id: string): number | undefined {
    return this.rows.get(id)?.revision
  }

  put(id: string, revision: number, record: unknown): void {
    const held = { revision, record }
    this.rows.set(id, held)
    this.#changed.push([id, held])
  }

  keepPlace(place: unknown): void {
    this.#place = place
  }

  /** A transaction that fails must end the process: what it did is in memory. */
  async transaction(work: () => Promise<void>): Promise<void> {
    await work()
    const line: Line = { rows: this.#changed.splice(0), place: this.#place }
    appendFileSync(this.#file, `\n${JSON.stringify(line)}`)
  }
}
