import { dayOfUtc, timeOfDay } from '../format/times.ts'
import { FOOT, HEIGHT, SIDE, yOf, type Drawn } from './geometry.ts'
import { Bars, Lines } from './plot-series.tsx'

/** The shortest distance between two times, in pixels. */
const TICK_WIDTH = 72

/** The grid, the columns or lines, and the times. */
export function Plot(props: Drawn) {
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

/** As many times below the plot as fit. */
function Times({ starts, unit, size }: Drawn) {
  const every = Math.max(1, Math.ceil(TICK_WIDTH / size.step))
  return starts.map((at, index) =>
    index % every === 0 && size.middle(index) + 20 < size.width ? (
      <text key={at} x={size.middle(index)} y={HEIGHT - 4} textAnchor="middle">
        {(unit === 'day' ? dayOfUtc : timeOfDay)(new Date(at))}
      </text>
    ) : null,
  )
}
