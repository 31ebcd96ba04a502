import type { Bar } from './bar.ts'
import { Bars } from './bars.tsx'

type Props = {
  readonly title: string
  /** The highest value, as it is written: `120 attempts`. */
  readonly highest: string
  readonly bars: readonly Bar[]
  /** What the picture shows, for who cannot see it. */
  readonly summary: string
  /** How a value is written in the hint of a column. */
  readonly format?: (value: number) => string
}

/** A column chart with its name, its highest value, and the times at which it begins and ends. */
export function Chart({ title, highest, bars, summary, format }: Props) {
  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span>
        <span>highest: {highest}</span>
      </figcaption>
      <Bars height={96} bars={bars} summary={summary} {...(format && { format })} />
      <div className="chart-ends" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
    </figure>
  )
}
