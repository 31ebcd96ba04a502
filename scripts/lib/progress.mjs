const REDRAW_MS = 120
const QUIET_UPDATE_MS = 15_000
const DEFAULT_COLUMNS = 80
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** @param {number} ms @returns {string} such as "0.8 s" or "3 min 5 s" */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000)
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/**
 * How many characters a moving line may have: one less than the terminal is wide, so that it never wraps.
 *
 * @param {number | undefined} columns as the terminal reports them; some report 0, others nothing: taken for 80
 */
const lineWidth = (columns) => Math.max(1, (columns || DEFAULT_COLUMNS) - 1)

/**
 * Shows steps as they happen. On a terminal the running steps share one line that is rewritten. Elsewhere each step
 * prints one plain line when it ends, and a long one says every 15 s that it still runs.
 *
 * @param {{ write: (text: string) => unknown, isTTY?: boolean, columns?: number }} [stream]
 */
export function createProgress(stream = process.stdout) {
  const isTerminal = stream.isTTY === true
  /** @type {Set<() => string>} */
  const running = new Set()
  let frame = 0

  const erase = () => void (isTerminal && running.size > 0 && stream.write('\r\u001B[2K'))
  function draw() {
    if (running.size === 0) return
    const text = [...running].map((describe) => describe()).join(' · ')
    if (!isTerminal) return print(`… ${text}`)
    const line = `${FRAMES[frame++ % FRAMES.length]} ${text}`
    stream.write(`\r\u001B[2K${line.slice(0, lineWidth(stream.columns))}`)
  }
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  /** @param {string} text */
  function print(text) {
    erase()
    stream.write(`${text}\n`)
  }

  /**
   * Runs one step and prints how it ended and how long it took.
   *
   * @template T
   * @param {string} title
   * @param {{ isLive?: boolean, isGood?: (result: T) => boolean }} options isLive false: the step writes to the terminal
   *   itself; isGood: whether a result that came back is a success
   * @param {(update: (detail: string) => void) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async function step(title, { isLive = true, isGood = () => true }, work) {
    const startedAt = performance.now()
    const elapsed = () => formatDuration(performance.now() - startedAt)
    let detail = ''
    const describe = () => `${title}${detail && ` – ${detail}`} (${elapsed()})`
    if (isLive) running.add(describe)
    timer ??= setInterval(draw, isTerminal ? REDRAW_MS : QUIET_UPDATE_MS)
    let mark = '✗'
    try {
      const result = await work((text) => void (detail = text))
      if (isGood(result)) mark = '✓'
      return result
    } finally {
      print(`${mark} ${title} (${elapsed()})`)
      running.delete(describe)
      if (running.size === 0) timer = void clearInterval(timer)
    }
  }
  return { step, print }
}
