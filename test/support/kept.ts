/** A resource, such as a stack or a browser, that the test files of a folder share in a mocha process. */
type Kept = {
  /** Throws the errors since the last check. */
  check?(): void
  stop(): Promise<void>
}

const kept = new Map<string, Promise<Kept>>()

/** Returns the resource of that name. The first caller starts it. hooks.ts checks and stops it. */
export function share<T extends Kept>(name: string, start: () => Promise<T>): Promise<T> {
  const running = (kept.get(name) as Promise<T> | undefined) ?? start()
  kept.set(name, running)
  // Forget the failed start, so that the next file tries again.
  running.catch(() => kept.delete(name))
  return running
}

/** Checks all shared resources. @throws Error with the errors since the last check */
export const checkKept = (): Promise<void> => forEach([...kept.values()], (one) => one.check?.())

/** Stops all shared resources. @throws Error with their errors */
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
