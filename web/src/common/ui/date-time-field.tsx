import { ActionIcon, Input, Popover } from '@mantine/core'
import { useId, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { fromLocalInput, ownZone, readClock, readDay, readTimestamp } from '../format/local-times.ts'
import { minuteUtc } from '../format/times.ts'
import { IconCalendar } from './icons.ts'
import { inWordsOfForm } from './form-faults.ts'
import { texts } from './texts.ts'
import { useLate } from './use-late.ts'

type Props = {
  readonly label: string
  /** The meaning of an empty field. */
  readonly emptyMeans?: string
  readonly required?: boolean
  /** `2026-01-15T09:30` in the reader's zone, or the text typed so far. Empty: no time. */
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}

/** A day and a time in the reader's zone, with the same moment in UTC. They can be typed, pasted, or chosen from a calendar. */
export function DateTimeField({ label, emptyMeans, required = false, value, error, onChange }: Props) {
  const id = useId()
  const [isTyping, setTyping] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [Calendar, bringCalendar] = useLate(() => import('./calendar.tsx'))
  // Rendered before the popover opens, so that it can take the focus.
  const toggle = async () => {
    if (await bringCalendar()) setOpen(!isOpen)
  }
  const [day = '', clock = ''] = value.split('T')
  const put = (nextDay: string, nextClock: string) => {
    setTyping(true)
    onChange(
      readTimestamp(nextDay) ??
        (nextDay === '' && nextClock === '' ? '' : `${nextDay.replaceAll('T', '')}T${nextClock}`),
    )
  }
  const tidy = ({ currentTarget, relatedTarget }: FocusEvent<HTMLInputElement>) => {
    const whole = readDay(day)
    // A day alone means its midnight. But the time is left empty while the user may still type it.
    const isDone = !currentTarget.closest('.date-time')?.contains(relatedTarget)
    const time = readClock(clock) ?? (clock === '' && whole && isDone ? MIDNIGHT : clock)
    if ((whole ?? day) !== day || time !== clock) put(whole ?? day, time)
    setTyping(false)
  }
  const utc = fromLocalInput(value)
  // No error is shown while the user types: half a time is not a time yet.
  const shown =
    isTyping && value !== '' && utc === undefined ? undefined : error && inWordsOfForm(error, label)
  const field = {
    error: Boolean(shown),
    onBlur: tidy,
    onKeyDown: ({ key }: KeyboardEvent) => key === 'Enter' && setTyping(false),
    autoComplete: 'off',
  }
  return (
    <Input.Wrapper
      id={id}
      label={label}
      required={required}
      error={shown}
      description={utc ? minuteUtc(utc) : (emptyMeans ?? texts.inZone({ zone: ownZone() }))}
    >
      <div className="date-time">
        <Input
          {...field}
          placeholder={texts.dayForm}
          value={day}
          // Without a day there is no time, so the user need not empty both inputs.
          onChange={({ currentTarget: { value: typed } }) =>
            typed === '' ? onChange('') : put(typed, clock)
          }
          rightSectionPointerEvents="all"
          rightSection={
            <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus shadow="md" radius="md">
              <Popover.Target>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.chooseDay({ label })}
                  onClick={() => void toggle()}
                >
                  <IconCalendar size={16} stroke={1.75} aria-hidden />
                </ActionIcon>
              </Popover.Target>
              <Popover.Dropdown aria-label={texts.chooseDay({ label })}>
                {Calendar && (
                  <Calendar
                    chosen={readDay(day)}
                    onChoose={(next) => {
                      setOpen(false)
                      put(next, readClock(clock) ?? MIDNIGHT)
                    }}
                  />
                )}
              </Popover.Dropdown>
            </Popover>
          }
        />
        <Input
          {...field}
          withAria={false}
          aria-label={texts.timeOf({ label })}
          aria-invalid={shown !== undefined}
          aria-describedby={['error', 'description'].map((part) => [id, part].join('-')).join(' ')}
          placeholder={texts.clockForm}
          value={clock}
          onChange={({ currentTarget }) => put(day, currentTarget.value)}
        />
      </div>
    </Input.Wrapper>
  )
}

const MIDNIGHT = '00:00'
