import fc from 'fast-check'
import { EVENT_TYPES } from '../../src/domain/event/catalog.ts'
import { words } from './words.ts'

/** The last part of every collection's path. */
export const FAMILIES = words(
  'webhooks deliveries events event-types notices contacts organizations deals activities tasks',
)
const FIELDS = words(`
  id name description url events headers is_active max_retries retry_schedule event data email phone domain stage
  amount currency type subject body due_at completed custom secret created_at __proto__ constructor toString
`).concat('')

/** Texts that break parsers, databases and logs, besides any text at all. */
export const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    ...words(`
      {{#label}} $\{x} %00 % ../.. 💥 NaN 1e3 -0 0x10 9007199254740993 2026-02-30T00:00:00Z 0000-00-00 true null
      https://[::1 https://169.254.169.254/ https://a:b@c javascript:alert(1) https://example.com/
      evt_test_1 evt_a read:all a@b example.com EUR call
    `),
    ...['\0', '\ud800', "' OR 1=1 -- ", 'a'.repeat(70_000), '\r\nX: y', ...EVENT_TYPES],
  ),
)
/** Any JSON value. */
export const value = fc.oneof(
  { weight: 3, arbitrary: nasty },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, false, 0, -1, 1e308, 1.5, 2 ** 53, 65_536, [], {}, [[]], [null]),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)
/** Objects with names that some field has, or none. */
export const fields = fc.dictionary(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: nasty }),
  value,
  { maxKeys: 8 },
)

/** What a client may put into a header. */
export const headerText = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/gu, ''))

/** Half a surrogate pair has no UTF-8; Buffer replaces it. */
const wellFormed = (text: string) => Buffer.from(text).toString()

/** For a path or query; cut before Node answers 431 by itself, which http-edge has. */
export const encode = (text: string) => encodeURIComponent(wellFormed(text)).slice(0, 2_000)
