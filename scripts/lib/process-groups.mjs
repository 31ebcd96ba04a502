import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { processIdentity } from './process-identity.mjs'

/**
 * Every child runs in a process group of its own: a Ctrl-C in the terminal reaches only us, and ending the group ends
 * the child's own children too. Groups are kept in the order of their start, so that they end in reverse.
 *
 * @typedef {{ child: import('node:child_process').ChildProcess, ended: Promise<void>, graceMs: number }} Group
 * @type {Map<number, Group>}
 */
const groups = new Map()
let closed = false

/** Names the records to the programs that we start: they write their own groups into them too. */
const RECORDS_VARIABLE = 'PROCESS_GROUP_RECORDS'
const records = (process.env[RECORDS_VARIABLE] ?? '').split(path.delimiter).filter((file) => file !== '')

// Whatever ends this process (an uncaught error, process.exit), no child outlives it.
process.on('exit', () => {
  for (const pid of groups.keys()) signalGroup(pid, 'SIGKILL')
})

/**
 * From now on every group is also written to a file, and so are the groups of programs that inherit our environment. If
 * this run or such a program is killed, endLeftovers can end its groups.
 *
 * @param {string} file one JSON line for each group, also of a program that runs within another one with a record
 */
export function recordGroupsIn(file) {
  records.push(file)
  process.env[RECORDS_VARIABLE] = records.join(path.delimiter)
}

/**
 * Starts a command as the leader of a new process group.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ name?: string, env?: NodeJS.ProcessEnv, cwd?: string, uid?: number, gid?: number, stdio?: import('node:child_process').StdioOptions, graceMs?: number }} [options]
 *   name: for the record; graceMs: how long it may take to end after SIGTERM
 * @returns {import('node:child_process').ChildProcess}
 * @throws {Error} once endAllGroups was called
 */
export function spawnGroup(
  command,
  args,
  { name = path.basename(command), graceMs = 5000, ...options } = {},
) {
  if (closed) throw new Error(`${command} was not started: everything is being stopped`)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true })
  const { pid } = child
  if (pid === undefined) return child
  const ended = new Promise((resolve) => {
    child.once('exit', () => {
      signalGroup(pid, 'SIGKILL') // what it started itself ends with it
      groups.delete(pid)
      resolve(undefined)
    })
  })
  groups.set(pid, { child, ended, graceMs })
  // One write appends the whole line, so that those of several processes do not mix.
  const line = `${JSON.stringify({ name, ...processIdentity(pid) })}\n`
  for (const file of records) appendFileSync(file, line, { mode: 0o600 })
  return child
}

/**
 * Sends a signal to a whole process group.
 *
 * @param {number} pid of the group's leader
 * @param {NodeJS.Signals} signal
 * @returns {boolean} false when the group no longer exists
 */
export function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/**
 * Ends one group: SIGTERM, its grace, then SIGKILL. Resolves when its leader is gone.
 *
 * @param {number | undefined} pid
 * @returns {Promise<void>}
 */
export async function endGroup(pid) {
  const group = pid === undefined ? undefined : groups.get(pid)
  if (pid === undefined || group === undefined) return
  signalGroup(pid, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), group.graceMs)
  await group.ended
  clearTimeout(timer)
}

/**
 * Kills one group without any grace. Resolves when its leader is gone.
 *
 * @param {number} pid of the group's leader
 * @returns {Promise<void>}
 */
export async function killGroup(pid) {
  signalGroup(pid, 'SIGKILL')
  await groups.get(pid)?.ended
}

/**
 * Ends all groups one after the other, the youngest first, and lets no new one start.
 *
 * @returns {Promise<void>}
 */
export async function endAllGroups() {
  closed = true
  for (const pid of [...groups.keys()].reverse()) await endGroup(pid)
}

/** Kills whatever is still alive without any grace; endAllGroups then has nothing left to wait for. */
export function killAllGroups() {
  for (const pid of groups.keys()) signalGroup(pid, 'SIGKILL')
}
