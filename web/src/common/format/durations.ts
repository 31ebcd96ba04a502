import { texts } from './texts.ts'

const UNITS = [
  [texts.daySigns, 86_400],
  [texts.hourSigns, 3_600],
  [texts.minuteSigns, 60],
  [texts.secondSigns, 1],
] as const

/** `90` becomes `1 min 30 s`: the two largest units, rounded to the nearest. @param seconds not negative */
export function inWords(seconds: number): string {
  const parts: string[] = []
  const largest = UNITS.findIndex(([, size]) => seconds >= size)
  const finest = largest < 0 ? 1 : (UNITS[largest + 1]?.[1] ?? 1)
  let rest = Math.round(seconds / finest) * finest
  for (const [inUnit, size] of UNITS) {
    const number = Math.floor(rest / size)
    rest -= number * size
    if (number > 0) parts.push(inUnit({ number }))
  }
  return parts.length === 0 ? texts.secondSigns({ number: 0 }) : parts.slice(0, 2).join(' ')
}

/** A duration as people say it: `1 hour`, `24 hours`, `7 days`. @param seconds 0, or a multiple of an hour */
export function hoursOrDays(seconds: number): string {
  const hours = Math.round(seconds / 3_600)
  return hours > 24 && hours % 24 === 0 ? texts.days({ number: hours / 24 }) : texts.hours({ number: hours })
}

/** `1240` becomes `1.24 s`, and `87` becomes `87 ms`. */
export const inMs = (ms: number): string =>
  ms < 1_000
    ? texts.millisecondSigns({ number: ms })
    : texts.secondSigns({ number: Number((ms / 1_000).toPrecision(3)) })

/** The time left until a moment, in seconds: `1 d 02:03:04`, `02:03:04`. `00:00:00` once the moment has passed. */
export function countdown(until: Date, now: Date): string {
  const total = Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 1_000))
  const days = Math.floor(total / 86_400)
  const clock = [Math.floor((total % 86_400) / 3_600), Math.floor((total % 3_600) / 60), total % 60]
  const text = clock.map((part) => String(part).padStart(2, '0')).join(':')
  return days > 0 ? `${texts.daySigns({ number: days })} ${text}` : text
}
