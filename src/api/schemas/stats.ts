import Joi from 'joi'
import {
  DURATION_BOUNDS_MS,
  NO_ANSWER_ERRORS,
  DEFAULT_STATS_WINDOW,
  STATS_WINDOWS,
  type StatsWindow,
} from '../../domain/webhook/stats.ts'
import { timestamp } from './common.ts'

/** `window`: the hours or days that statistics are shown for. */
export const statsQuery = Joi.object<{ window: StatsWindow }>().keys({
  window: Joi.string()
    .valid(...STATS_WINDOWS)
    .default(DEFAULT_STATS_WINDOW)
    .description(
      '24h: the present hour and the 23 before it, one by one. 7d and 30d: today and the days before it, in UTC.',
    ),
})

const count = (description: string) => Joi.number().integer().min(0).required().description(description)

const percentile = (percent: number) =>
  Joi.number()
    .integer()
    .allow(null)
    .required()
    .description(
      `${percent} % of the attempts took at most so many milliseconds, estimated: durations are counted in buckets up to ` +
        `${DURATION_BOUNDS_MS.join(', ')}, and taken as spread evenly inside of one. null without attempts.`,
    )

const figures = {
  attempts: count('Attempts that were recorded, without those of test events.'),
  successes: count('Those that were answered with 2xx.'),
  failures: count('All others.'),
  by_class: Joi.object({
    '2xx': count('Answered with 2xx.'),
    '3xx': count('Answered with 3xx; a redirect is not followed.'),
    '4xx': count('Answered with 4xx.'),
    '5xx': count('Answered with 5xx.'),
    none: count('Not answered.'),
  })
    .required()
    .description('Attempts by the class of the status.'),
  by_error: Joi.object()
    .pattern(Joi.string(), Joi.number().integer().min(1))
    .required()
    .description(
      `Attempts without an answer by the reason, where there were any: ${NO_ANSWER_ERRORS.join(', ')}.`,
    ),
  p50_ms: percentile(50),
  p95_ms: percentile(95),
  p99_ms: percentile(99),
}

/** What happened to the attempts of a webhook. */
export const statsSchema = Joi.object({
  window: Joi.string()
    .valid(...STATS_WINDOWS)
    .required(),
  unit: Joi.string().valid('hour', 'day').required().description('What each entry of `series` is.'),
  since: timestamp().required(),
  until: timestamp().required().description('When they were read. The latest seconds may be missing. UTC.'),
  totals: Joi.object(figures).id('AttemptFigures').required(),
  series: Joi.array()
    .items(
      Joi.object({
        starts_at: timestamp().required().description('The beginning of the hour or of the day. UTC.'),
        ...figures,
      }).id('AttemptFiguresAt'),
    )
    .required()
    .description('Every hour or day of the window, oldest first; the last one goes on.'),
}).id('WebhookStats')
