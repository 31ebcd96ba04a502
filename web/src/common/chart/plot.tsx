import type { CSSProperties } from 'react'
import type { ChartProps } from './series.ts'

const HEIGHT = 180
/** Below the plot, for the times. */
const FOOT = 20
/** Above it, so that the label of the highest line is whole. */
const HEAD = 14
const GAP = 2
/** How far apart the times stand at least. */
const TICK_WIDTH = 72

/** At the left, for the values of the lines. */
const SIDE = 44

/** The widest column: of seven days a wider one would look like a wall. */
const WIDEST = 64

/** Where columns lie in a plot of that width. */
export function sizeOf(width: number, columns: number) {
  const step = Math.max(1, width - SIDE) / Math.max(1, columns)
  return {
    width,
    step,
    left: (index: number) => SIDE + index * step,
    middle: (index: number) => SIDE + (index + 0.5) * step,
    columnAt: (x: number) => Math.min(columns - 1, Math.max(0, Math.floor((x - SIDE) / step))),
  }
}

type Props = ChartProps & {
  readonly size: ReturnType<typeof sizeOf>
  readonly active: number | undefined
  /** Where a drag began. */
  readonly from: number | undefined
}

const yOf = (share: number): number => HEIGHT - FOOT - Math.min(1, share) * (HEIGHT - FOOT - HEAD)

const colored = (color: string) => ({ '--series': color }) as CSSProperties

/** Grid, columns or lines, and times. */
export function Plot(props: Props) {
  const { starts, scale, format, axis = format, size, active, from, kind } = props
  const isChosen = (index: number) =>
    from !== undefined &&
    active !== undefined &&
    index >= Math.min(from, active) &&
    index <= Math.max(from, active)
  return (
    <svg width={size.width} height={HEIGHT} aria-hidden="true">
      {starts.map((at, index) => (
        <rect
          key={at}
          className="chart-column"
          x={size.left(index)}
          y={0}
          width={size.step}
          height={HEIGHT - FOOT}
          data-active={index === active || undefined}
          data-chosen={isChosen(index) || undefined}
        />
      ))}
      {[0, ...scale.ticks].map((tick, index) => (
        <line
          key={tick}
          className="chart-grid"
          x1={SIDE}
          x2={size.width}
          y1={yOf(index === 0 ? 0 : scale.at(tick))}
          y2={yOf(index === 0 ? 0 : scale.at(tick))}
        />
      ))}
      {kind === 'bars' ? <Bars {...props} /> : <Lines {...props} />}
      {scale.ticks.map((tick) => (
        <text key={tick} x={SIDE - 8} y={yOf(scale.at(tick)) + 4} textAnchor="end">
          {axis(tick)}
        </text>
      ))}
      <Times {...props} />
    </svg>
  )
}

/** Stacked columns, the first series at the bottom. */
function Bars({ starts, series, scale, size }: Props) {
  const width = Math.min(WIDEST, Math.max(1, size.step - GAP))
  return starts.map((at, index) => {
    let below = 0
    return (
      <g key={at}>
        {series.map(({ name, color, values, status }) => {
          const value = values[index] ?? 0
          if (value === 0) return null
          const foot = yOf(scale.at(below))
          below += value
          // A single failure among thousands shows all the same.
          const height = Math.max(2, foot - yOf(scale.at(below)))
          return (
            <rect
              key={name}
              className="chart-part"
              style={colored(color)}
              data-status={status}
              x={size.middle(index) - width / 2}
              y={foot - height}
              width={width}
              height={height}
            />
          )
        })}
      </g>
    )
  })
}

/** A line for each series, broken where it has no value. */
function Lines({ series, scale, size, active }: Props) {
  return series.map(({ name, color, values }) => {
    const dot = active === undefined ? null : values[active]
    const isAlone = (index: number) => values[index - 1] == null && values[index + 1] == null
    return (
      <g key={name} style={colored(color)}>
        <path
          className="chart-line"
          d={values
            .map((value, index) =>
              value === null
                ? ''
                : `${values[index - 1] == null ? 'M' : 'L'}${size.middle(index)} ${yOf(scale.at(value))}`,
            )
            .join('')}
        />
        {values.map(
          (value, index) =>
            value !== null &&
            isAlone(index) && (
              <circle
                key={index}
                className="chart-dot"
                r={2.5}
                cx={size.middle(index)}
                cy={yOf(scale.at(value))}
              />
            ),
        )}
        {dot != null && active !== undefined && (
          <circle className="chart-dot" r={3.5} cx={size.middle(active)} cy={yOf(scale.at(dot))} />
        )}
      </g>
    )
  })
}

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Times below the plot, as many as fit. */
function Times({ starts, unit, size }: Props) {
  const every = Math.max(1, Math.ceil(TICK_WIDTH / size.step))
  return starts.map((at, index) =>
    index % every === 0 && size.middle(index) + 20 < size.width ? (
      <text key={at} x={size.middle(index)} y={HEIGHT - 4} textAnchor="middle">
        {(unit === 'day' ? DAY : HOUR).format(new Date(at))}
      </text>
    ) : null,
  )
}
