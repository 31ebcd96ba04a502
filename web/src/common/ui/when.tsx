import { countdown } from '../format/durations.ts'
import {
  bothTimes,
  clockTime,
  exactUtc,
  localTime,
  momentOf,
  relativeTime,
  timeAgo,
  timeAhead,
  timeFor,
} from '../format/times.ts'
import { useNow } from './now.ts'

/** `past`: the moment has passed. `next`: it is to come. `end`: it may be either. */
const WORDS = { past: timeAgo, next: timeAhead, end: relativeTime }

/** A moment in words that change with time. On hover it is shown in full, in both zones. */
function Told({ at, by }: { at: string; by: (date: Date, now: Date) => string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={bothTimes(date)}>
      {by(date, now)}
    </time>
  )
}

type Props = {
  readonly at: string | null | undefined
  readonly none?: string
  readonly is?: keyof typeof WORDS
  /** Whether to add the time of day, because several moments may be equally long ago. */
  readonly hasClock?: boolean
}

/** A moment relative to now, exact on hover. Without a moment it shows a dash, or `none`. */
export function When({ at, none = '–', is = 'past', hasClock = false }: Props) {
  if (!at) return <>{none}</>
  return <Told at={at} by={(date, now) => WORDS[is](date, now) + (hasClock ? `, ${clockTime(date)}` : '')} />
}

/** How long a state has lasted: `for 2 days`. */
export function For({ since }: { since: string }) {
  return <Told at={since} by={timeFor} />
}

/** A moment inside a sentence: `Nov 27, 16:18 GMT+1`. On hover it is shown in full and in UTC. */
export function Moment({ at }: { at: string }) {
  return <Told at={at} by={momentOf} />
}

/** A moment in full, on two lines: in the reader's zone and in UTC. */
export function ExactTime({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at}>
      {localTime(date)}
      <span className="second-line">{exactUtc(date)}</span>
    </time>
  )
}

/**
 * The time left until a moment, second by second. Screen readers can read it, but do not announce it.
 *
 * @param over shown once the moment has passed
 */
export function Countdown({ until, over }: { until: string; over?: string }) {
  const now = useNow('seconds')
  const date = new Date(until)
  return (
    <time dateTime={until} title={bothTimes(date)} role="timer" aria-live="off" className="figures">
      {over !== undefined && date <= now ? over : countdown(date, now)}
    </time>
  )
}
