import { count } from '../format/numbers.ts'
import type { Bar } from './bar.ts'

type Props = {
  readonly bars: readonly Bar[]
  /** What the picture shows, for who cannot see it: a sentence with the sum. */
  readonly summary: string
  readonly height?: number
  /** How a value is written. */
  readonly format?: (value: number) => string
}

/** A small column chart: one image with a sentence, and each column's figures on hover. */
export function Bars({ bars, summary, height = 48, format = count }: Props) {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const share = (value: number) => (value === 0 ? 0 : Math.max(2, (value / highest) * height))
  return (
    <svg
      className="bars"
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${bars.length * 8} ${height}`}
      preserveAspectRatio="none"
      height={height}
    >
      {bars.map((bar, index) => (
        <g key={bar.label}>
          <title>{`${bar.label}: ${format(bar.value)}${bar.bad ? `, ${format(bar.bad)} failed` : ''}`}</title>
          <rect x={index * 8} y={0} width={8} height={height} className="bar-room" />
          <rect
            x={index * 8 + 1}
            y={height - share(bar.value)}
            width={6}
            height={share(bar.value)}
            className="bar"
          />
          {bar.bad ? (
            <rect
              x={index * 8 + 1}
              y={height - share(bar.bad)}
              width={6}
              height={share(bar.bad)}
              className="bar-bad"
            />
          ) : null}
        </g>
      ))}
    </svg>
  )
}
