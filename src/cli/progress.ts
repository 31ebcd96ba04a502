export type Progress = {
  /** Shows on one line how far something has come, and replaces it each time. On a terminal only. */
  readonly show: (line: string) => void
  readonly end: () => void
  /** Prints a line that stays. */
  readonly print: (line: string) => void
}

/** Where progress is shown: on stderr, because stdout is for the result. */
export function findProgress(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr): Progress {
  const print = (line: string) => void stream.write(`${line}\n`)
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined, print }
  return {
    print,
    show: (line) => void stream.write(`\r\x1b[K${line}`),
    end: () => void stream.write('\n'),
  }
}

const BAR_LENGTH = 30

/** `[######------------------------]  20 %  200 of 1000`; only the number while the total is not known. */
export function progressBar(done: number, total: number | null): string {
  if (total === null) return `${done} of a number that is not counted`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(share * BAR_LENGTH)
  const bar = '#'.repeat(filled).padEnd(BAR_LENGTH, '-')
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${done} of ${total}`
}
