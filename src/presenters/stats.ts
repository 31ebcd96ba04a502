import {
  attemptsIn,
  percentileMs,
  type AttemptFigures,
  type AttemptStatistics,
} from '../domain/webhook/stats.ts'

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

type Activity = { readonly health: string; readonly waiting: number; readonly statistics: AttemptStatistics }

/** The activity of one webhook in a list: its health, its waiting deliveries, its attempts, their failures and durations. */
export const presentActivity = (
  webhookId: string,
  { health, waiting, statistics: { totals, series } }: Activity,
) => ({
  webhook_id: webhookId,
  health: { state: health, waiting },
  ...presentCounts(totals),
  p95_ms: percentileMs(totals, 95),
  series: series.map(({ startsAt, figures }) => ({
    starts_at: startsAt.toISOString(),
    ...presentCounts(figures),
  })),
})

function presentCounts(figures: AttemptFigures) {
  const attempts = attemptsIn(figures)
  const successes = figures.byClass['2xx']
  return { attempts, successes, failures: attempts - successes }
}

function presentFigures(figures: AttemptFigures) {
  return {
    ...presentCounts(figures),
    by_class: {
      '2xx': figures.byClass['2xx'],
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
