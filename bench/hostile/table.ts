import { markdown } from '../support/document.ts'
import type { BenchStack } from '../support/stack.ts'

const HEADINGS = ['#', 'what one party does', 'v0.1.0', 'quiet', 'attacked', 'ratio', 'bound', 'within']

export type Figures = {
  readonly quiet: string
  readonly attacked: string
  readonly ratio?: number
  readonly isWithin: boolean
  readonly note: string
}

export type Row = {
  readonly id: number
  /** What one party does. */
  readonly party: string
  /** Measured on v0.1.0. */
  readonly before: string
  readonly bound: string
  /** At most a minute. */
  readonly run: (stack: BenchStack) => Promise<Figures>
}

export type MeasuredRow = Row & { readonly figures?: Figures; readonly failure?: string }

/** Markdown, with notes below the table. */
export function renderTable(rows: readonly MeasuredRow[]): string {
  const notes = rows.flatMap(({ id, figures }) => (figures ? [`- ${id}: ${figures.note}`] : []))
  return [markdown([HEADINGS, ...rows.map(cellsOf)]), '', ...notes].join('\n')
}

function cellsOf({ id, party, before, bound, figures, failure = '' }: MeasuredRow): string[] {
  const fixed = [String(id), party, before]
  if (!figures) return [...fixed, failure, '', '', bound, 'no']
  const { quiet, attacked, ratio, isWithin } = figures
  return [...fixed, quiet, attacked, ratio?.toFixed(2) ?? '', bound, isWithin ? 'yes' : '**no**']
}
