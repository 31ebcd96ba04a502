import { ActionIcon } from '@mantine/core'
import { useRef, useState, type KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import { toLocalDay } from '../format/local-times.ts'
import { IconChevronLeft, IconChevronRight } from './icons.ts'
import { texts } from './texts.ts'

/** The day that a key leads to, counted in days from the one that has the focus; months are counted apart. */
const DAYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
const MONTHS: Readonly<Record<string, number>> = { PageUp: -1, PageDown: 1 }

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' })
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'full' })
const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'short' })

type Props = {
  /** As `2026-01-15`. */
  readonly chosen: string | undefined
  readonly onChoose: (day: string) => void
}

/** A month of days, from Monday on. Arrows go by days and weeks, Page Up and Page Down by months. */
export function MonthGrid({ chosen, onChoose }: Props) {
  const [at, setAt] = useState(() => (chosen === undefined ? new Date() : new Date(`${chosen}T12:00`)))
  const days = useRef<HTMLTableElement>(null)
  const [today] = useState(() => toLocalDay(new Date()))
  const onKeyDown = (event: KeyboardEvent) => {
    const [inDays, inMonths] = [DAYS[event.key], MONTHS[event.key]]
    if (inDays === undefined && inMonths === undefined) return
    event.preventDefault()
    flushSync(() => setAt(inDays === undefined ? later(at, inMonths ?? 0) : daysLater(at, inDays)))
    days.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }
  return (
    <div className="month">
      <div className="month-head">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.monthBefore}
          onClick={() => setAt(later(at, -1))}
        >
          <IconChevronLeft size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
        <strong aria-live="polite">{MONTH.format(at)}</strong>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.monthAfter}
          onClick={() => setAt(later(at, 1))}
        >
          <IconChevronRight size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </div>
      <table role="grid" aria-label={MONTH.format(at)} ref={days} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weeksOf(at)[0]?.map((day) => (
              <th key={day.getDay()} scope="col">
                {WEEKDAY.format(day).slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(at).map((week) => (
            <tr key={toLocalDay(week[0] ?? at)}>
              {week.map((day) => {
                const name = toLocalDay(day)
                const isHere = name === toLocalDay(at)
                return (
                  <td key={name} role="gridcell" aria-selected={name === chosen}>
                    <button
                      type="button"
                      aria-label={DAY.format(day)}
                      aria-current={name === today ? 'date' : undefined}
                      tabIndex={isHere ? 0 : -1}
                      data-autofocus={isHere || undefined}
                      data-outside={day.getMonth() !== at.getMonth() || undefined}
                      // Escape closes the calendar, not the dialog below it.
                      data-mantine-stop-propagation
                      onClick={() => onChoose(name)}
                    >
                      {day.getDate()}
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** At noon, which every day has, also where the clock is changed. */
const daysLater = (at: Date, days: number): Date =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() + days, 12)

/** The same day of another month, or its last one. */
function later(at: Date, months: number): Date {
  const last = new Date(at.getFullYear(), at.getMonth() + months + 1, 0, 12)
  return new Date(last.getFullYear(), last.getMonth(), Math.min(at.getDate(), last.getDate()), 12)
}

/** Six weeks from the Monday on or before the first of a month: every month fits, and no month is higher than another. */
function weeksOf(at: Date): Date[][] {
  const first = new Date(at.getFullYear(), at.getMonth(), 1, 12)
  const monday = daysLater(first, -((first.getDay() + 6) % 7))
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => daysLater(monday, week * 7 + day)),
  )
}
