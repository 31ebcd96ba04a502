/**
 * An event as a line: where it begins, where its attempts failed, and where it arrived. Without an end it has not arrived.
 * All in percent of the width.
 */
type Trace = { readonly from: number; readonly failed?: readonly number[]; readonly end?: number }

const TRACES: readonly Trace[] = [
  { from: 4, end: 12 },
  { from: 12, failed: [18, 27, 43], end: 71 },
  { from: 20, end: 29 },
  { from: 7, failed: [15], end: 26 },
  { from: 33, failed: [41, 52, 70] },
  { from: 47, end: 58 },
  { from: 15, end: 22 },
  { from: 54, failed: [61, 72], end: 91 },
  { from: 28, end: 38 },
  { from: 66, end: 76 },
]

const ROW = 40

/** A picture of what the service does: some events arrive at once, some after failures, and one is still under way. */
export const Traces = () => (
  <svg className="traces" viewBox={`0 0 500 ${TRACES.length * ROW}`} aria-hidden="true">
    {TRACES.map(({ from, failed = [], end }, row) => {
      const y = row * ROW + ROW / 2
      return (
        <g key={from}>
          <path className="trace" d={`M${from * 5} ${y}H${(end ?? failed.at(-1) ?? 0) * 5}`} />
          {end === undefined && (
            <path className="trace" data-open d={`M${(failed.at(-1) ?? 0) * 5} ${y}H500`} />
          )}
          <path className="trace-failed" d={failed.map((at) => `M${at * 5} ${y - 6}v12`).join('')} />
          <circle className="trace-begun" cx={from * 5} cy={y} r="3" />
          {end !== undefined && <circle className="trace-arrived" cx={end * 5} cy={y} r="5" />}
        </g>
      )
    })}
  </svg>
)
