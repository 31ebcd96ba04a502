import type { Behaviour } from './receiver.ts'

type FixedPath = {
  /** An example, where a pattern is given. */
  readonly path: string
  readonly pattern?: RegExp
  /** One line for people. */
  readonly says: string
  readonly behaviour: (path: string) => Behaviour
}

/** Clearly slow, and well below the 15 s that an attempt may take. */
const SLOW_MS = 5000

/** Paths of the demo receiver with a fixed behaviour. They show the ways in which endpoints fail. */
export const FIXED_PATHS: readonly FixedPath[] = [
  {
    path: '/status/500',
    pattern: /^\/status\/[2-5]\d\d$/,
    says: 'answers 500, or whichever status from 200 to 599 you write there',
    behaviour: (path) => ({ status: Number(path.slice(-3)) }),
  },
  {
    path: '/slow',
    says: `answers 200 after ${SLOW_MS / 1000} s`,
    behaviour: () => ({ delayMs: SLOW_MS }),
  },
  {
    path: '/gone',
    says: 'answers 410, which deactivates the webhook',
    behaviour: () => ({ status: 410 }),
  },
  {
    path: '/reset',
    says: 'cuts the connection without an answer',
    behaviour: () => ({ reset: true }),
  },
  {
    path: '/fails-twice',
    says: 'answers 503 to the first two requests of each webhook-id, then 200',
    behaviour: () => ({ failTimes: 2, status: 503, countBy: 'webhook-id' }),
  },
]

/** The behaviour of a fixed path; undefined for every other path. */
export const fixedBehaviour = (path: string): Behaviour | undefined =>
  FIXED_PATHS.find((fixed) => fixed.pattern?.test(path) ?? fixed.path === path)?.behaviour(path)
