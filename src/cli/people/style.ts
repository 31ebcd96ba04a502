import { styleText } from 'node:util'

/** How a result is shown to people. */
export type Style = {
  /** Whether times are in UTC, in place of the zone of the machine. */
  readonly isUtc: boolean
  readonly isColoured: boolean
  /** How many characters the terminal shows in a line; by default without limit. */
  readonly width?: number | undefined
}

/** Whether the terminal has colours. Node says no where NO_COLOR is set. */
export const hasColours = (output: NodeJS.WriteStream): boolean => output.isTTY && output.hasColors()

/** Keeps styleText from checking the terminal again, because hasColours has decided. */
const ALWAYS = { validateStream: false }

/** How many characters of a value are shown at most. */
const LONGEST = 300
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Names and answers come from customers: no character of theirs may control the operator's terminal. */
const CONTROL = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** A value as one line of text: times in the wanted zone, `-` for no value, long text cut. `--json` cuts nothing. */
export function textOf(value: unknown, style: Style): string {
  if (value === null || value === undefined || value === '') return '-'
  if (Array.isArray(value)) return shorten(value.map((entry) => entryOf(entry)).join(', ') || '-')
  if (typeof value !== 'string') return shorten(JSON.stringify(value))
  return TIME.test(value) ? timeOf(new Date(value), style) : shorten(value)
}

const entryOf = (entry: unknown): string =>
  typeof entry === 'object' && entry !== null ? Object.values(entry).map(String).join(' ') : String(entry)

function shorten(text: string): string {
  const line = text
    .replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1))
    .replace(CONTROL, '?')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

/** `2026-01-31 12:00:00Z`, or with the offset of the machine's zone at that time: `2026-01-31 13:00:00 +01:00`. */
function timeOf(time: Date, { isUtc }: Style): string {
  const offset = isUtc ? 0 : -time.getTimezoneOffset()
  const shown = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  return isUtc ? `${shown}Z` : `${shown} ${offset < 0 ? '-' : '+'}${clock(Math.abs(offset))}`
}

const clock = (minutes: number): string =>
  [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

type Coloured = { readonly colour: 'green' | 'yellow' | 'red'; readonly states: readonly string[] }

const COLOURS: readonly Coloured[] = [
  { colour: 'green', states: ['success', 'active', 'healthy', 'live', 'up', 'ok'] },
  { colour: 'yellow', states: ['pending', 'retrying', 'disabled', 'in_rotation', 'inactive'] },
  { colour: 'red', states: ['failing', 'trouble', 'away', 'silent', 'failed', 'expired', 'revoked'] },
]

/** Colours a cell if it contains only a state. */
export function colourState(cell: string, { isColoured }: Style): string {
  const coloured = isColoured && COLOURS.find(({ states }) => states.includes(cell.trim()))
  return coloured ? styleText(coloured.colour, cell, ALWAYS) : cell
}

export const emphasise = (text: string, { isColoured }: Style): string =>
  isColoured ? styleText('bold', text, ALWAYS) : text
