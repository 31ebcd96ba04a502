export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** The smallest value that at least this share (0.99 for p99) of the values does not exceed; NaN without values. */
export const percentile = (values: readonly number[], share: number): number =>
  Float64Array.from(values).sort()[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN

/** Milliseconds; NaN without values, which is null in JSON. */
export type Times = ReturnType<typeof summarise>

export function summarise(milliseconds: readonly number[]) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(milliseconds, share))
  return { count: milliseconds.length, p50: p50!, p95: p95!, p99: p99! }
}

/** The middle value, or the mean of the two in the middle; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** Seconds of the machine's steady clock. All processes read the same clock, so their times can be compared. */
export const steadySeconds = (): number => Number(process.hrtime.bigint()) / 1e9

/** A Markdown table; the first row is its heading. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)))
  const [heading = '', ...lines] = rows.map((row) => {
    return `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  })
  return [heading, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines].join('\n')
}
