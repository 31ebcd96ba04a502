const REDRAW_MS = 120
const QUIET_UPDATE_MS = 15_000
const DEFAULT_COLUMNS = 80
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @returns such as "0.8 s" or "3 min 5 s" */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** @param rows the first is the head; the first column is text, the others are numbers */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}

export type Progress = ReturnType<typeof createProgress>

/** Tells what a long step is doing. */
export type OnUpdate = (detail: string) => void

/** `isLive` is false for a step that writes to the terminal itself. `isGood`: whether a result is a success; by default all are. */
type StepOptions<T> = { readonly isLive?: boolean; readonly isGood?: (result: T) => boolean }

/**
 * Shows steps as they happen. On a terminal the running steps share one line that is rewritten. Elsewhere each step
 * prints one plain line when it ends, and a long one says every 15 s that it still runs.
 */
export function createProgress() {
  const stream = process.stdout
  const running = new Set<() => string>()
  let frame = 0
  let timer: NodeJS.Timeout | undefined

  function draw() {
    if (running.size === 0) return
    const text = [...running].map((describe) => describe()).join(' · ')
    if (!stream.isTTY) {
      print(`… ${text}`)
      return
    }
    const line = `${FRAMES[frame++ % FRAMES.length]} ${text}`
    // One character less than the terminal is wide, so that it never wraps. Some terminals report 0 columns, others nothing.
    const width = Math.max(1, (stream.columns || DEFAULT_COLUMNS) - 1)
    stream.write(`\r\u001B[2K${line.slice(0, width)}`)
  }
  function print(text: string): void {
    if (stream.isTTY && running.size > 0) stream.write('\r\u001B[2K')
    stream.write(`${text}\n`)
  }

  /** Runs one step and prints how it ended and how long it took. */
  async function step<T>(
    title: string,
    work: (update: OnUpdate) => Promise<T>,
    { isLive = true, isGood = () => true }: StepOptions<T> = {},
  ): Promise<T> {
    const startedAt = performance.now()
    const elapsed = () => formatDuration(performance.now() - startedAt)
    let detail = ''
    const describe = () => `${title}${detail && ` – ${detail}`} (${elapsed()})`
    if (isLive) running.add(describe)
    timer ??= setInterval(draw, stream.isTTY ? REDRAW_MS : QUIET_UPDATE_MS)
    let mark = '✗'
    try {
      const result = await work((text) => void (detail = text))
      if (isGood(result)) mark = '✓'
      return result
    } finally {
      print(`${mark} ${title} (${elapsed()})`)
      running.delete(describe)
      if (running.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }
  return { step, print }
}
