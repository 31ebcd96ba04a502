import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './process-identity.mjs'
import { signalGroup } from './process-groups.mjs'

const GRACE_MS = 15_000

/**
 * Ends the processes that a killed run left behind: those of its record (recordGroupsIn) that are still the same
 * process by id and start time, youngest first, SIGTERM and then SIGKILL. Removes the record.
 *
 * @param {string} file
 * @param {number} [graceMs]
 * @returns {Promise<number>} how many were ended
 */
export async function endLeftovers(file, graceMs = GRACE_MS) {
  const alive = (await readRecord(file)).filter(isRunning).reverse()
  for (const leftover of alive) {
    signalGroup(leftover.pid, 'SIGTERM')
    const deadline = performance.now() + graceMs
    while (isRunning(leftover) && performance.now() < deadline) await sleep(50)
    signalGroup(leftover.pid, 'SIGKILL')
  }
  await rm(file, { force: true })
  return alive.length
}

/** @param {string} file @returns {Promise<import('./process-identity.mjs').ProcessIdentity[]>} */
async function readRecord(file) {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return [] // the last line of a run that was killed while writing
    }
  })
}
