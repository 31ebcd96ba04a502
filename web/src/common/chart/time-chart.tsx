import { useElementSize } from '@mantine/hooks'
import { useState, type CSSProperties, type KeyboardEvent } from 'react'
import { ChartTip, spanText } from './chart-tip.tsx'
import { sizeOf } from './geometry.ts'
import { Plot } from './plot.tsx'
import { windowOf, type ChartProps } from './series.ts'
import { texts } from './texts.ts'

/**
 * The chart of the console: columns or lines over hours or days. A click opens what a column counts. A drag opens the
 * window that it covers. With the keyboard focus in the chart, the arrow keys move from column to column and read them out,
 * and Enter opens one.
 */
export function TimeChart(props: ChartProps) {
  const { title, summary, starts, series, onOpen } = props
  const { ref, width } = useElementSize<HTMLDivElement>()
  const [active, setActive] = useState<number>()
  const [from, setFrom] = useState<number>()
  const [part, setPart] = useState('')
  const size = sizeOf(width, starts.length)
  const columnAt = (event: { clientX: number; currentTarget: Element }) =>
    size.columnAt(event.clientX - event.currentTarget.getBoundingClientRect().left)
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setActive(Math.min(starts.length - 1, Math.max(0, (active ?? starts.length) + step)))
    } else if (event.key === 'Enter' && active !== undefined) onOpen?.(windowOf(props, active, active))
    else if (event.key === 'Escape') setActive(undefined)
  }
  const end = (to: number, status: string) => {
    if (from !== undefined) onOpen?.(windowOf(props, from, to, from === to ? status : ''))
    setFrom(undefined)
  }
  return (
    <figure className="chart">
      <figcaption>
        {title}
        <span className="chart-legend">
          {series.map(({ name, color }) => (
            <span key={name} style={{ '--series': color } as CSSProperties}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={ref}
        className="chart-plot"
        role="group"
        tabIndex={0}
        aria-label={texts.plotLabel({ title, summary })}
        onKeyDown={onKey}
        onBlur={() => setActive(undefined)}
        onPointerMove={(event) => {
          setActive(columnAt(event))
          setPart(statusAt(event.target))
        }}
        onPointerLeave={() => {
          setActive(undefined)
          setFrom(undefined)
        }}
        onPointerDown={(event) => setFrom(columnAt(event))}
        onPointerUp={(event) => end(columnAt(event), statusAt(event.target))}
      >
        {width > 0 && <Plot {...props} size={size} active={active} from={from} />}
        {active !== undefined && (
          <ChartTip {...props} index={active} left={size.middle(active)} width={width} status={part} />
        )}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {active !== undefined &&
          `${spanText(props, active)}: ${series.map(({ name, values }) => `${name} ${valueText(props, values[active])}`).join(', ')}`}
      </div>
    </figure>
  )
}

/** The filter that a click at this point opens. Empty text: the filter of the whole bar. */
const statusAt = (target: EventTarget): string =>
  (target instanceof Element ? target.getAttribute('data-status') : null) ?? ''

const valueText = ({ format }: Pick<ChartProps, 'format'>, value: number | null | undefined): string =>
  value === null || value === undefined ? texts.none : format(value)
