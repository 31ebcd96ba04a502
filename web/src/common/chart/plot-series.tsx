import type { CSSProperties } from 'react'
import { yOf, type Drawn } from './geometry.ts'

/** The share of its place that a column fills. The gaps between columns let the reader count the hours. */
const SHARE = 0.72

/** The largest width of a column in pixels. Seven wider columns would look like a wall. */
const WIDEST = 48

const colored = (color: string) => ({ '--series': color }) as CSSProperties

/** Stacked columns, the first series at the bottom. */
export function Bars({ starts, series, scale, size }: Drawn) {
  const width = Math.min(WIDEST, Math.max(1, size.step * SHARE))
  return starts.map((at, index) => {
    let below = 0
    return (
      <g key={at}>
        {series.map(({ name, color, values, opens }) => {
          const value = values[index] ?? 0
          if (value === 0) return null
          const foot = yOf(scale.at(below))
          below += value
          // Two pixels at least, so that a single failure among thousands is visible.
          const height = Math.max(2, foot - yOf(scale.at(below)))
          return (
            <rect
              key={name}
              className="chart-part"
              style={colored(color)}
              data-status={opens?.status}
              x={size.middle(index) - width / 2}
              y={foot - height}
              width={width}
              height={height}
              rx={Math.min(2, width / 4)}
            />
          )
        })}
      </g>
    )
  })
}

/** A line for each series. It has a gap where the series has no value. */
export function Lines({ series, scale, size, active }: Drawn) {
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
