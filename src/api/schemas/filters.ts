import Joi from 'joi'
import { eventFilter } from '../../domain/webhook/setting-rules.ts'
import { date } from './common.ts'
import { count, flag, objectOf, word } from './answer-fields.ts'
import type { Filter } from '../../domain/webhook/filter/condition.ts'

const MOST_EXAMINED = 1_000

type FilterPreviewBody = { readonly filter?: Filter | null; readonly since?: Date; readonly limit: number }

/** The fields of a filter preview. The preview of the console has no `since`. */
export const previewFields = {
  filter: eventFilter().allow(null),
  since: date().description('Only events that were created then or later.'),
  limit: Joi.number()
    .integer()
    .min(1)
    .max(MOST_EXAMINED)
    .default(MOST_EXAMINED)
    .description('Events that are judged at most.'),
}

export const filterPreviewBody = Joi.object<FilterPreviewBody>({
  ...previewFields,
  filter: previewFields.filter.description(
    "The filter to try; the webhook's own without it; null matches everything. The fields of a webhook describe it.",
  ),
}).id('FilterPreviewInput')

export const filterPreviewSchema = objectOf({
  examined: count.description(
    'Events that were judged: fewer than `limit` when there are fewer, or when they are large.',
  ),
  matched: count.description('Those that would make a delivery.'),
  examples: Joi.array()
    .items(
      objectOf({
        event_id: word,
        matched: flag,
        because: word.description('In words: the first condition that fails, or that all hold.'),
      }).id('FilterExample'),
    )
    .max(10)
    .description('The latest 5 events that match and the latest 5 that do not, newest first.'),
}).id('FilterPreview')
