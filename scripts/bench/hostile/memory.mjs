import { setTimeout as sleep } from 'node:timers/promises'
import { residentMib } from './figures.mjs'

const SAMPLE_EVERY_MS = 50

/**
 * @param {{ pid: number }} service
 * @param {() => Promise<unknown>} work
 * @returns {Promise<number>} the most memory that the process held while the work ran, in MiB
 */
export async function mostMemory(service, work) {
  let isOver = false
  const sampling = (async () => {
    let mostMib = 0
    while (!isOver) {
      mostMib = Math.max(mostMib, await residentMib(service))
      await sleep(SAMPLE_EVERY_MS)
    }
    return mostMib
  })()
  await work().finally(() => (isOver = true))
  return sampling
}
