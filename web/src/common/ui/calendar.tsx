import { DatePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useState } from 'react'
import { toLocalDay } from '../format/local-times.ts'
import { texts } from './texts.ts'

type Props = {
  /** A day, such as `2026-01-15`. */
  readonly chosen: string | undefined
  readonly onChoose: (day: string) => void
}

/** The days of a month, from Monday on. At first it shows the month of the chosen day, or the current month. */
export default function Calendar({ chosen, onChoose }: Props) {
  const [first] = useState(() => chosen ?? toLocalDay(new Date()))
  return (
    <DatePicker
      value={chosen ?? null}
      defaultDate={first}
      onChange={(day) => day !== null && onChoose(day)}
      highlightToday
      firstDayOfWeek={1}
      // No red weekends, because red means a failure.
      weekendDays={[]}
      ariaLabels={{ previousMonth: texts.monthBefore, nextMonth: texts.monthAfter }}
      getDayProps={(day) => ({ 'data-autofocus': day === first || undefined })}
      // Escape closes the calendar only, not the dialog below it.
      __stopPropagation
    />
  )
}
