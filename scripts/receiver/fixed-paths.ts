import type { Behaviour } from './receiver.ts'

/** Clearly slow, and well below the 15 s that an attempt may take. */
const SLOW_MS = 5000

const STATUS = /^\/status\/([2-5]\d\d)$/

/** Paths of the demo receiver with a fixed behaviour, each with a line for people. They show the ways in which endpoints fail. */
export const FIXED_PATHS: readonly { path: string; says: string; behaviour: Behaviour }[] = [
  {
    path: '/status/500',
    says: 'answers 500, or whichever status from 200 to 599 you write there',
    behaviour: { status: 500 },
  },
  { path: '/slow', says: `answers 200 after ${SLOW_MS / 1000} s`, behaviour: { delayMs: SLOW_MS } },
  { path: '/gone', says: 'answers 410, which deactivates the webhook', behaviour: { status: 410 } },
  { path: '/reset', says: 'cuts the connection without an answer', behaviour: { reset: true } },
  {
    path: '/fails-twice',
    says: 'answers 503 to the first two requests of each webhook-id, then 200',
    behaviour: { failTimes: 2, status: 503, countBy: 'webhook-id' },
  },
]

/** The behaviour of a fixed path; undefined for every other path. */
export function fixedBehaviour(name: string): Behaviour | undefined {
  const status = STATUS.exec(name)?.[1]
  return status ? { status: Number(status) } : FIXED_PATHS.find(({ path }) => path === name)?.behaviour
}
