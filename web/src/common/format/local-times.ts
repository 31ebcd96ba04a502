import { texts } from './texts.ts'

/** What stands in two inputs of the type `datetime-local`, in the zone of the reader. */
export type OwnTimes = { readonly since: string; readonly until: string }

/** What is wrong with own times, by input. */
export type OwnFaults = { readonly since?: string; readonly until?: string }

/** A moment as `datetime-local` takes it: `2026-01-15T09:30` in the zone of the reader. */
export function toLocalInput(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** What `datetime-local` gives, as ISO 8601 in UTC; undefined while it is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** Why two times are no window: it would end before it begins. An empty one is no limit. */
export function windowFaults({ since, until }: OwnTimes): OwnFaults {
  const [from, to] = [fromLocalInput(since), fromLocalInput(until)]
  return from !== undefined && to !== undefined && to <= from ? { until: texts.endBeforeBegin } : {}
}
