import Joi from 'joi'
import { anyCase } from '../fields/rules.ts'
import type { AllowedNetwork } from '../net/addresses.ts'
import { parseFilter } from './filter/check.ts'
import type { Filter } from './filter/condition.ts'
import { checkWebhookHeaders, HEADER_LIMITS, headerFault, RESERVED_HEADERS, type Verdict } from './headers.ts'
import { checkWebhookUrl, MAXIMUM_URL_LENGTH } from './url.ts'

/** A joi rule that refuses what the check refuses, with the check's reason. */
const checkedBy =
  <Value>(check: (value: Value) => Verdict): Joi.CustomValidator<Value> =>
  (value, helpers) => {
    const verdict = check(value)
    return verdict.ok ? value : refused(helpers, verdict.reason)
  }

const refused = (helpers: Joi.CustomHelpers, reason: string) =>
  helpers.message({ custom: '{{#reason}}' }, { reason })

/** The rule for the URL of a webhook, as ./url.ts decides. */
export const endpointUrl = (allowedNetworks: readonly AllowedNetwork[]) =>
  Joi.string()
    .custom(checkedBy((value: string) => checkWebhookUrl(value, allowedNetworks)))
    .description(
      'HTTPS URL that receives the events. It must parse as a URL and point to a public address; ports that browsers block are refused.',
    )
    .meta({ jsonSchema: { maxLength: MAXIMUM_URL_LENGTH, pattern: URL_PATTERN } })

/** No space, control character or backslash, no user name or password, and no fragment. */
const URL_PATTERN = String.raw`^${anyCase('https')}://[^/?#@\\\s\x00-\x1F\x7F-\x9F]+([/?][^#\\\s\x00-\x1F\x7F-\x9F]*)?$`

/** The rule for custom headers. The error names the fault of each header, as ./headers.ts decides. */
export const customHeaders = () =>
  Joi.object()
    .pattern(
      Joi.string().allow(''),
      Joi.string()
        .allow('')
        .custom((value: string, helpers) => {
          // Stryker disable next-line OptionalChaining,UnaryOperator: the path of a header always has two parts
          const reason = headerFault(String(helpers.state.path?.at(-1)), value)
          return reason === undefined ? value : refused(helpers, reason)
        }),
    )
    .custom(checkedBy(checkWebhookHeaders))
    .description(
      'Custom HTTP headers of every delivery; an update replaces all of them. At most 16 KiB in all; no name twice in different case.',
    )
    .meta({
      jsonSchema: {
        maxProperties: HEADER_LIMITS.count,
        propertyNames: {
          pattern: `^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${HEADER_LIMITS.nameLength}}$`,
          not: { pattern: RESERVED_PATTERN },
        },
        additionalProperties: {
          type: 'string',
          maxLength: HEADER_LIMITS.valueBytes,
          pattern: String.raw`^([!-~\xA0-\xFF]([\t -~\xA0-\xFF]*[!-~\xA0-\xFF])?)?$`,
        },
      },
    })

const RESERVED_PATTERN = `^(${[
  ...RESERVED_HEADERS.names.map((name) => `${anyCase(name)}$`),
  ...RESERVED_HEADERS.nameStarts.map(anyCase),
].join('|')})`

/** The rule for a filter, as ./filter/check.ts decides. */
export const eventFilter = () =>
  Joi.object<Filter>()
    .custom(checkedBy(parseFilter))
    .description(
      'Only events that match make deliveries; null for no filter. A condition in the query form of MongoDB with $and, $or, ' +
        '$not, $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists and $regex (RE2), over the paths event, data.…, previous.… ' +
        'and subject. At most 4 KiB and 5 objects deep.',
    )
    .meta({ jsonSchema: { minProperties: 1, propertyNames: { pattern: FILTER_NAMES } } })

const FILTER_NAMES = String.raw`^(\$(and|or|not)|event|subject|(data|previous)(\.[^.]+)*)$`
