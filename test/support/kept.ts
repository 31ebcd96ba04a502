/** What a mocha process keeps for all its test files, such as a stack or a browser. */
type Kept = {
  /** Throws what was wrong since the last check. */
  check?(): void
  stop(): Promise<void>
}

const kept: Promise<Kept>[] = []

/** Keeps something until the mocha process ends. hooks.ts checks it after each file. @returns the same */
export function keep<T extends Kept>(starting: Promise<T>): Promise<T> {
  kept.push(starting)
  return starting
}

/** Checks everything that is kept. @throws Error with what was wrong since the last check */
export const checkKept = (): Promise<void> => forEach((one) => one.check?.())

/** Stops everything that is kept. @throws Error with what was wrong */
export const stopKept = (): Promise<void> => forEach((one) => one.stop())

async function forEach(work: (one: Kept) => Promise<void> | void): Promise<void> {
  const starts = await Promise.allSettled(kept)
  const started = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const ends = await Promise.allSettled(started.map(async (one) => work(one)))
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  if (faults.length > 0) throw new Error(faults.join('\n'))
}
