import Joi from 'joi'
import {
  DURATION_BOUNDS_MS,
  NO_ANSWER_ERRORS,
  DEFAULT_STATS_WINDOW,
  STATS_WINDOWS,
  type StatsWindow,
} from '../../domain/webhook/stats.ts'
import { count, countOrNull, objectOf, time, word } from './answer-fields.ts'
import { oneOf } from './common.ts'

/** `window`: the hours or days of the statistics. */
export const statsQuery = Joi.object<{ window: StatsWindow }>().keys({
  window: oneOf(STATS_WINDOWS)
    .default(DEFAULT_STATS_WINDOW)
    .description(
      '24h: the present hour and the 23 before it, one by one. 7d and 30d: today and the days before it, in UTC.',
    ),
})

const attempts = (description: string) => count.min(0).description(description)

const percentile = (percent: number) =>
  countOrNull.description(
    `${percent} % of the attempts took at most so many milliseconds, estimated: durations are counted in buckets up to ` +
      `${DURATION_BOUNDS_MS.join(', ')}, and taken as spread evenly inside of one. null without attempts.`,
  )

const figures = {
  attempts: attempts('Attempts that were recorded, without those of test events.'),
  successes: attempts('Those that were answered with 2xx.'),
  failures: attempts('All others.'),
  by_class: objectOf({
    '2xx': attempts('Answered with 2xx.'),
    '3xx': attempts('Answered with 3xx; a redirect is not followed.'),
    '4xx': attempts('Answered with 4xx.'),
    '5xx': attempts('Answered with 5xx.'),
    none: attempts('Not answered.'),
  }).description('Attempts by the class of the status.'),
  by_error: Joi.object()
    .pattern(word, count.min(1))
    .description(
      `Attempts without an answer by the reason, where there were any: ${NO_ANSWER_ERRORS.join(', ')}.`,
    ),
  p50_ms: percentile(50),
  p95_ms: percentile(95),
  p99_ms: percentile(99),
}

/** The statistics of the attempts of a webhook. */
export const statsSchema = objectOf({
  window: Joi.valid(...STATS_WINDOWS),
  unit: Joi.valid('hour', 'day').description('What each entry of `series` is.'),
  since: time,
  until: time.description('When they were read. The latest seconds may be missing. UTC.'),
  totals: objectOf(figures).id('AttemptFigures'),
  series: Joi.array()
    .items(
      objectOf({
        starts_at: time.description('The beginning of the hour or of the day. UTC.'),
        ...figures,
      }).id('AttemptFiguresAt'),
    )
    .description('Every hour or day of the window, oldest first; the last one goes on.'),
}).id('WebhookStats')
