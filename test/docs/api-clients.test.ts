import { expect } from 'chai'
import { BODY_LIMIT } from '../../src/api/edge/body-limits.ts'
import { MAXIMUM_DEPTH, MAXIMUM_VALUES } from '../../src/domain/fields/storable.ts'
import { COST_CLASSES } from '../../src/operations/cost-limits.ts'
import { MAXIMUM_PAGE } from '../../src/api/schemas/common.ts'
import { MAXIMUM_BATCH } from '../../src/api/schemas/events.ts'
import { variables } from '../../src/config/variables.ts'
import { KEPT_HOURS } from '../../src/db/idempotency.ts'
import { KEPT_BODIES } from '../../src/domain/delivery/delivery.ts'
import { STORED_BODY_BYTES, STORED_HEADERS_BYTES } from '../../src/domain/delivery/kept-response.ts'
import { ERROR_STATUS } from '../../src/domain/errors.ts'
import { EVENT_DATA_LIMIT_BYTES } from '../../src/domain/event/event.ts'
import { isClientEventId } from '../../src/domain/ids.ts'
import { describeScope, SCOPES } from '../../src/domain/key/scopes.ts'
import { DEFAULT_PAGE_SIZE, MAXIMUM_PAGE_SIZE } from '../../src/domain/pagination.ts'
import { FILTER_LIMITS, TENANT_FILTER_LIMITS } from '../../src/domain/webhook/filter/condition.ts'
import { LONGEST_PATTERN } from '../../src/domain/webhook/filter/pattern.ts'
import { HEADER_LIMITS } from '../../src/domain/webhook/headers.ts'
import { MAXIMUM_URL_LENGTH } from '../../src/domain/webhook/url.ts'
import { DEFAULT_SETTINGS, MAXIMUM_MAX_RETRIES } from '../../src/domain/webhook/settings.ts'
import { TESTS_AT_ONCE } from '../../src/operations/delivery/test-event.ts'
import { MOST_DELIVERIES } from '../../src/operations/event/publish.ts'
import { readDocument } from './documents.ts'

const { text } = readDocument('docs/api-clients.md')

/** The rows of the table under a heading, as cells, without the header and separator rows. */
function tableUnder(heading: string): string[][] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

const count = (value: number): string => value.toLocaleString('en-US')
const kib = (bytes: number): string => `${bytes / 1024} KiB`

type Described = { keys: Record<string, { flags?: { default?: number } }> }
/** The default of a setting. Its row has a star, because an operator may change it. */
function preset(name: string): string {
  const value = (variables.describe() as Described).keys[name]?.flags?.default
  if (value === undefined) throw new Error(`${name} has no default`)
  return count(value)
}

/** The expected rows of the table of limits, from the values in the code. */
const LIMITS: readonly (readonly [string, string])[] = [
  ['requests of a key in a minute \\*', preset('RATE_LIMIT_PER_MINUTE')],
  ['calls of a key in a minute that it may not make \\*', preset('DENIED_CALLS_PER_MINUTE')],
  ['failed authentications of an address in a minute \\*', preset('AUTH_FAILURES_PER_MINUTE')],
  [
    'requests of a company in a minute; a list counts 5, a report 20 \\*',
    preset('COMPANY_RATE_LIMIT_PER_MINUTE'),
  ],
  ['events that a company publishes in a minute \\*', preset('PUBLISH_PER_MINUTE').replace(/^0$/, 'none')],
  [
    'reports (statistics, counts) of a company at once',
    `${COST_CLASSES.report.atOnce}, more wait for a moment`,
  ],
  ['lists of a company that are read at once', `${COST_CLASSES.list.atOnce}, more wait for a moment`],
  [
    'test events that wait for an answer',
    `${TESTS_AT_ONCE.ofWebhook} of a webhook, ${TESTS_AT_ONCE.ofCompany} of a company`,
  ],
  ['body of a request, after decompression', BODY_LIMIT],
  ['JSON of a body', `${MAXIMUM_DEPTH} levels, ${count(MAXIMUM_VALUES)} values`],
  ['`data` of an event', kib(EVENT_DATA_LIMIT_BYTES)],
  ['events of one publish', count(MAXIMUM_BATCH)],
  ['deliveries that one publish of several events makes', count(MOST_DELIVERIES)],
  ['`limit` of a list', `${DEFAULT_PAGE_SIZE} unless given, ${MAXIMUM_PAGE_SIZE} at most`],
  ['`page` of a list', count(MAXIMUM_PAGE)],
  ['webhooks of a company, live and test each \\*', preset('WEBHOOKS_PER_TENANT')],
  ['webhooks with `$regex` in their filters, live and test each', count(TENANT_FILTER_LIMITS.withPatterns)],
  ['filters of all webhooks together, live and test each', kib(TENANT_FILTER_LIMITS.bytes)],
  ['live keys of a company \\*', preset('KEYS_PER_COMPANY')],
  ['`url` of a webhook', `${count(MAXIMUM_URL_LENGTH)} characters`],
  ['`headers` of a webhook', `${HEADER_LIMITS.count}, of ${kib(HEADER_LIMITS.totalBytes)} in all`],
  ['`filter` of a webhook', `${kib(FILTER_LIMITS.bytes)}, ${FILTER_LIMITS.depth} objects deep`],
  ['a list in a filter, such as `$in`', `${FILTER_LIMITS.listed} entries`],
  ['`$regex` of a filter', `${FILTER_LIMITS.patterns}, of ${LONGEST_PATTERN} characters each`],
  [
    '`max_retries` of a webhook',
    `${DEFAULT_SETTINGS.maxRetries} unless given, ${MAXIMUM_MAX_RETRIES} at most`,
  ],
  ['deliveries that wait for a webhook \\*', preset('WEBHOOK_BACKLOG')],
  ['`attempt_log` of a delivery, and attempts that keep a body', count(KEPT_BODIES)],
  [
    'what is kept of an answer to a delivery',
    `${kib(STORED_BODY_BYTES)} of body, ${kib(STORED_HEADERS_BYTES)} of headers`,
  ],
  ['closed deliveries and their events \\*', `${preset('RETENTION_DAYS')} days`],
]

describe('docs/api-clients.md', () => {
  // decision: Codes beyond the specification
  it('has every error code with its status, when it comes and what to do', () => {
    const rows = tableUnder('Error codes')
    const codes = Object.entries(ERROR_STATUS).map(([code, status]) => [`\`${code}\``, status])
    expect(rows.map(([code, status]) => [code, Number(status)])).to.deep.equal(codes)
    expect(rows.filter(([, , when = '', todo = '']) => when === '' || todo === '')).to.deep.equal([])
  })

  it('has every scope with what it permits, and the limits that hold', () => {
    expect(tableUnder('Scopes')).to.deep.equal(SCOPES.map((scope) => [`\`${scope}\``, describeScope(scope)]))
    expect(tableUnder('Limits').map(([what, limit]) => [what, limit])).to.deep.equal(LIMITS)
  })

  it('says of names of requests what holds', () => {
    expect(text).to.include(`For ${KEPT_HOURS} hours the same key`)
    const isTaken = (length: number) => isClientEventId(`evt_${'a'.repeat(length)}`)
    expect([64, 65].map(isTaken)).to.deep.equal([true, false])
    expect(text).to.include('`evt_` and 1 to 64 letters')
  })
})
