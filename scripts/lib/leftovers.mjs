import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './process-identity.mjs'
import { signalGroup } from './process-groups.mjs'

const GRACE_MS = 15_000
const KILL_MS = 5000
const POLL_MS = 20

/**
 * Ends the processes that a killed run, or a killed program within a run, left behind: those of its record
 * (recordGroupsIn) that still have the same id and start time. The youngest ends first, by SIGTERM and then SIGKILL. A
 * program among them may start others until it ends itself, so it then looks again. Removes the record.
 *
 * @param {string} file
 * @param {number} [graceMs]
 * @returns {Promise<string[]>} the names of those that were ended
 */
export async function endLeftovers(file, graceMs = GRACE_MS) {
  /** @type {Map<string, string>} */
  const ended = new Map()
  const listLeft = async () => (await readAlive(file)).filter((each) => !ended.has(keyOf(each))).reverse()
  for (let left = await listLeft(); left.length > 0; left = await listLeft()) {
    for (const leftover of left) {
      ended.set(keyOf(leftover), leftover.name)
      signalGroup(leftover.pid, 'SIGTERM')
      await untilGone(leftover, graceMs)
      signalGroup(leftover.pid, 'SIGKILL')
      await untilGone(leftover, KILL_MS)
    }
  }
  await rm(file, { force: true })
  return [...ended.values()]
}

/** @param {import('./process-identity.mjs').ProcessIdentity} identity */
const keyOf = ({ pid, startedAt }) => `${pid} ${startedAt}`

/** @param {import('./process-identity.mjs').ProcessIdentity} identity @param {number} timeoutMs */
async function untilGone(identity, timeoutMs) {
  const deadline = performance.now() + timeoutMs
  while (isRunning(identity) && performance.now() < deadline) await sleep(POLL_MS)
}

/**
 * The processes of a record that still run, in the order of their start.
 *
 * @param {string} file of recordGroupsIn
 * @returns {Promise<Array<import('./process-identity.mjs').ProcessIdentity & { name: string }>>}
 */
export async function readAlive(file) {
  const text = await readFile(file, 'utf8').catch(() => '')
  const recorded = text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return [] // the last line of a run that was killed while writing
    }
  })
  return recorded.filter(isRunning)
}
