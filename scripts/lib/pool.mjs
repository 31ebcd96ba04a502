/** @typedef {() => Promise<unknown>} Work */

/**
 * Does pieces of work side by side, never more than `width` at once, each begun in the order given.
 *
 * @param {number} width
 * @param {readonly Work[]} works
 * @returns {Promise<void>} when all have ended
 * @throws what the first work that fails throws; other work under way continues, and no further work begins
 */
export function runPool(width, works) {
  const queue = [...works]
  return runQueues(Array.from({ length: Math.max(1, width) }, () => [queue]))
}

/**
 * Does pieces of work with several runners, each one piece at a time. A runner takes the first piece of its first queue that
 * has one; runners may share queues, so that one whose own queue is empty helps with another.
 *
 * @param {readonly (readonly Work[][])[]} queuesOfRunners for each runner its queues, which are emptied
 * @returns {Promise<void>} when all have ended
 * @throws what the first work that fails throws; other work under way continues, and no further work begins
 */
export async function runQueues(queuesOfRunners) {
  /** @param {readonly Work[][]} queues */
  const next = (queues) => queues.find((queue) => queue.length > 0)?.shift()
  /** @param {readonly Work[][]} queues */
  const runNext = async (queues) => {
    for (let work = next(queues); work; work = next(queues)) {
      try {
        await work()
      } catch (error) {
        for (const queue of queuesOfRunners.flat()) queue.splice(0)
        throw error
      }
    }
  }
  await Promise.all(queuesOfRunners.map(runNext))
}
