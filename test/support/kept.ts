/** What the test files of a folder share in a mocha process, such as a stack or a browser. */
type Kept = {
  /** Throws what was wrong since the last check. */
  check?(): void
  stop(): Promise<void>
}

const kept = new Map<string, Promise<Kept>>()

/** Gives what has that name; its first caller starts it. hooks.ts checks it after each file, and stops it after those of a folder. */
export function share<T extends Kept>(name: string, start: () => Promise<T>): Promise<T> {
  const running = (kept.get(name) as Promise<T> | undefined) ?? start()
  kept.set(name, running)
  // The next file tries again.
  running.catch(() => kept.delete(name))
  return running
}

/** Checks everything that is shared. @throws Error with what was wrong since the last check */
export const checkKept = (): Promise<void> => forEach([...kept.values()], (one) => one.check?.())

/** Stops everything that is shared. @throws Error with what was wrong */
export function stopKept(): Promise<void> {
  const all = [...kept.values()]
  kept.clear()
  return forEach(all, (one) => one.stop())
}

async function forEach(
  all: readonly Promise<Kept>[],
  work: (one: Kept) => Promise<void> | void,
): Promise<void> {
  const starts = await Promise.allSettled(all)
  const started = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const ends = await Promise.allSettled(started.map(async (one) => work(one)))
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  if (faults.length > 0) throw new Error(faults.join('\n'))
}
