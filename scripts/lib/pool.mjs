/**
 * Does pieces of work side by side, never more than `width` at once, each begun in the order given.
 *
 * @param {number} width
 * @param {readonly (() => Promise<unknown>)[]} works
 * @returns {Promise<void>} when all have ended
 * @throws what the first work that fails throws; other work under way continues, and no further work begins
 */
export async function runPool(width, works) {
  const waiting = [...works]
  const runNext = async () => {
    for (let work = waiting.shift(); work; work = waiting.shift()) {
      try {
        await work()
      } catch (error) {
        waiting.splice(0)
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, width) }, runNext))
}
