import { DatePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useState } from 'react'
import { toLocalDay } from '../format/local-times.ts'
import { texts } from './texts.ts'

type Props = {
  /** As `2026-01-15`. */
  readonly chosen: string | undefined
  readonly onChoose: (day: string) => void
}

/** A month of days, from Monday on. It begins at the chosen day, or at today. */
export default function Calendar({ chosen, onChoose }: Props) {
  const [first] = useState(() => chosen ?? toLocalDay(new Date()))
  return (
    <DatePicker
      value={chosen ?? null}
      defaultDate={first}
      onChange={(day) => day !== null && onChoose(day)}
      highlightToday
      firstDayOfWeek={1}
      // Red means a failure.
      weekendDays={[]}
      ariaLabels={{ previousMonth: texts.monthBefore, nextMonth: texts.monthAfter }}
      getDayProps={(day) => ({ 'data-autofocus': day === first || undefined })}
      // Escape closes the calendar, not the dialog below it.
      __stopPropagation
    />
  )
}
