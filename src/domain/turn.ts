/** Lets whatever else waits in this process run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
