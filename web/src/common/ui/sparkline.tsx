type Props = {
  readonly points: readonly { readonly good: number; readonly bad: number }[]
  /** A sentence with the sum, for people who cannot see the picture. */
  readonly summary: string
}

const HEIGHT = 24

/** A small chart in a row of a table: columns without axes, with the failed part coloured at the bottom. */
export function Sparkline({ points, summary }: Props) {
  const highest = Math.max(1, ...points.map(({ good, bad }) => good + bad))
  const share = (value: number) => (value === 0 ? 0 : Math.max(2, (value / highest) * HEIGHT))
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${points.length * 4} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{summary}</title>
      {/* Two paths for all columns, because a list has a hundred of these. */}
      <path className="bar-good" d={pathOf(points.map(({ good, bad }) => share(good + bad)))} />
      <path className="bar-bad" d={pathOf(points.map(({ bad }) => share(bad)))} />
    </svg>
  )
}

const pathOf = (heights: readonly number[]): string =>
  heights
    .map((height, index) => (height === 0 ? '' : `M${index * 4 + 0.5} ${HEIGHT}v${-height}h3v${height}z`))
    .join('')
