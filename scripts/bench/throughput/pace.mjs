import { steadySeconds } from './clock.mjs'

/** How often the loop looks whether something is due. */
const LOOK_EVERY_MS = 1

/**
 * Sends at a fixed rate, whatever the answers take: an open loop.
 *
 * @param {{ perSecond: number, seconds: number }} rate seconds: how long it sends
 * @param {(dueAt: number) => void} send dueAt: now, in seconds of the steady clock
 * @returns {number} how often it will send in all
 */
export function keepRate({ perSecond, seconds }, send) {
  const total = Math.round(perSecond * seconds)
  const startedAt = steadySeconds()
  let due = 0
  const timer = setInterval(() => {
    const now = steadySeconds()
    for (; due < total && due <= (now - startedAt) * perSecond; due++) send(now)
    if (due === total) clearInterval(timer)
  }, LOOK_EVERY_MS)
  return total
}
