import { dayOfUtc, hourOf, minuteUtc } from '../format/times.ts'
import type { ChartProps } from './series.ts'
import { texts } from './texts.ts'

/** The span of time in the reader's zone. Days are UTC days, because the service counts by UTC. */
export function spanText({ starts, unit }: Pick<ChartProps, 'starts' | 'unit'>, index: number): string {
  const at = new Date(starts[index] ?? 0)
  return unit === 'day' ? `${dayOfUtc(at, true)} (UTC)` : hourOf(at)
}

type Props = ChartProps & {
  readonly index: number
  readonly left: number
  readonly width: number
  /** The series under the pointer. */
  readonly status: string
}

/** The largest width in pixels, so that the tip stays inside the plot. */
const WIDTH = 220

/** All values of one span, in a box beside its column. */
export function ChartTip(props: Props) {
  const { starts, unit, series, format, index, left, width, status, onOpen } = props
  const at = starts[index] ?? ''
  const part = series.find(({ opens }) => opens?.status === status)?.opens
  const isRight = left + WIDTH + 12 > width
  return (
    <div
      className="chart-tip"
      aria-hidden="true"
      style={isRight ? { right: Math.max(0, width - left + 12) } : { left: left + 12 }}
    >
      <strong>{spanText(props, index)}</strong>
      {unit === 'hour' && <div>{minuteUtc(at)}</div>}
      {series.map(({ name, values }) => {
        const value = values[index] ?? null
        return (
          <div key={name} className="chart-tip-row">
            <span>{name}</span>
            <span>{value === null ? '–' : format(value)}</span>
          </div>
        )
      })}
      {onOpen && <div>{texts.clickOpens({ unit, part: part?.words ?? texts.all })}</div>}
    </div>
  )
}
