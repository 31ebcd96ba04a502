import { attemptsIn, percentileMs, type AttemptFigures } from '../domain/webhook/stats.js'
import type { AttemptStatistics } from '../domain/webhook/stats-window.js'

/** The statistics of a webhook's attempts. */
export const presentStats = ({ window, unit, since, until, totals, series }: AttemptStatistics) => ({
  window,
  unit,
  since: since.toISOString(),
  until: until.toISOString(),
  totals: presentFigures(totals),
  series: series.map(({ startsAt, figures }) => ({
    starts_at: startsAt.toISOString(),
    ...presentFigures(figures),
  })),
})

function presentFigures(figures: AttemptFigures) {
  const attempts = attemptsIn(figures)
  const successes = figures.byClass['2xx']
  return {
    attempts,
    successes,
    failures: attempts - successes,
    by_class: {
      '2xx': successes,
      '3xx': figures.byClass['3xx'],
      '4xx': figures.byClass['4xx'],
      '5xx': figures.byClass['5xx'],
      none: figures.byClass.none,
    },
    by_error: Object.fromEntries(Object.entries(figures.byError).filter(([, count]) => count > 0)),
    p50_ms: percentileMs(figures, 50),
    p95_ms: percentileMs(figures, 95),
    p99_ms: percentileMs(figures, 99),
  }
}
