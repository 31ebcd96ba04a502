import fc from 'fast-check'
import { EVENT_TYPES } from '../../src/domain/event/catalog.ts'
import { RESERVED_HEADERS } from '../../src/domain/webhook/headers.ts'
import { nasty, value } from './fuzz-requests.ts'
import { words } from './words.ts'

const LETTERS = 'a'.repeat(63)
const TEXTS = [
  ...['', ' ', '\t\n', '\u00a0', '\ufeff', ' a ', 'a\0', '\0', 'a\nb', 'a\n', '💥'],
  ...[50, 100, 255, 2_000, 2_048, 20_000].flatMap((length) => {
    const text = 'a'.repeat(length)
    return [text, `${text}a`, '🎉'.repeat(length)]
  }),
]
const HOSTS = words('a.example A.EXAMPLE a a. ü.example xn--4ca.example 8.8.8.8 10.0.0.1 [::1]')
const URLS = [
  ...HOSTS.flatMap((host) => [`https://${host}`, `https://${host}:8443/p?q=1`, `https://${host}/@/ü`]),
  ...words(`
    HTTPS://a.example http://a.example https:a.example https:// https:///a https://?a https://u:p@a.example
    https://a.example#f https://a.example:22 https://[::1 https://a..example
  `),
  ...['https://a.example/ a', 'https://a.example/\\', 'https://a.example\n', 'https://a.example/\u0085'],
  ...['https://a b', `https://${LETTERS}a.example`, `https://a.example/${'a'.repeat(2_030)}`],
  ...[`https://a.example/${'a'.repeat(2_031)}`, `https://a.example/${'🎉'.repeat(1_500)}`],
]
const DOMAINS = [
  ...words(`
    a.example A.Example a a.b a.1 1.a -a.b a-.b a.b- a_b.c a..b .a.b a.b. ü.example a.ü xn--a.b xn--.b 0x7f.a
    a%b.c a/b.c 1.2.3.4 [::1].a a~b.c
  `),
  ...[`${LETTERS}.a`, `${LETTERS}a.a`, `a.${LETTERS}`, `a.${LETTERS}a`, 'a.b c', 'a"b.c', 'a.b\n'],
]
const EMAILS = [
  ...DOMAINS.map((domain) => `a@${domain}`),
  ...words('@a.b a@@a.b a.b@c.d .a@c.d a.@c.d a..b@c.d ü@c.d a@[1.2.3.4] a(b)@c.d a,b@c.d "a"@c.d'),
  ...['a b@c.d', "!#$%&'*+/=?^`{|}~-@c.d", `${LETTERS}a@c.d`, `${LETTERS}aa@c.d`, 'a\n@c.d'],
  ...[60, 61].map((length) => `a@${`${LETTERS}.`.repeat(3)}${'a'.repeat(length)}`),
]
const INSTANTS = [
  ...words(`
    2026-01-20T12:00:00Z 2026-01-20T12:00Z 2026-01-20T12:00:00.123456789+05:30 2026-01-20
    2026-01-20T12:00:00 2026-01-20t12:00:00z 2026-01-20T24:00:00Z 2026-01-20T24:00Z 2026-01-20T24:00:00.000Z
    2026-01-20T24:00:01Z 2026-01-20T24:01Z 2026-02-29T00:00Z 2024-02-29T00:00Z 2026-02-30T00:00Z
    2026-04-31T00:00Z 2026-13-01T00:00Z 2026-00-01T00:00Z 2026-01-00T00:00Z 2026-01-20T12:60Z
    2026-01-20T12:00:60Z 0000-01-01T00:00Z 2026-01-20T12:00:00.Z 2026-01-20T12:00:00.1234567890Z
    2026-01-20T12:00+24:00 2026-01-20T12:00+0530 2026-01-20T12:00+23:59 2026-01-20T12:00-23:60
    9999-12-31T23:59-01:00
  `),
  ...['2026-01-20 12:00:00Z', '2026-01-20T12:00Z\n'],
]
const HEADER_NAMES = [
  ...RESERVED_HEADERS.names,
  ...RESERVED_HEADERS.nameStarts,
  ...words('Host hosting Webhook-Id x-amz-a Metadata-Flavors te ten constructor'),
  ...words('X-A x-a Authorization ü a:b'),
  ...['', ' ', 'a b', "!#$%&'*+.^_`|~-", 'a'.repeat(64), 'a'.repeat(65)],
]
const HEADER_VALUES = [
  ...words('a é ā 💥'),
  ...['', ' a', 'a ', '\ta', 'a\tb', '\u00a0', '\u0080', 'a\r\nb', 'a\n', 1],
]
const headers = fc.dictionary(
  fc.constantFrom(...HEADER_NAMES),
  fc.oneof(fc.constantFrom(...HEADER_VALUES), fc.constantFrom('v'.repeat(4_096), 'v'.repeat(4_097))),
  { maxKeys: 22 },
)
const NUMBERS = [-1, -0.5, 0, 0.5, 1, 1.5, 5, 10, 11, 604_800, 604_801, 2 ** 53 - 1, 1e-300, '1', null, true]
const number = fc.constantFrom(...NUMBERS)
const eventTypes = fc.oneof(
  fc.array(fc.constantFrom(...EVENT_TYPES), { maxLength: 15 }),
  fc.constantFrom(...[100, 101].map((count) => Array<string>(count).fill('task.created'))),
  fc.array(fc.constantFrom('contact.exploded', 'test.webhook', 'constructor', 1, null), { maxLength: 2 }),
)
const IDS = ['evt_a b', 'evt_a\n', `evt_${'a'.repeat(64)}`, ...words('evt_a evt_ evt_test_a evt_test EVT_a')]
const mostly = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 5, arbitrary }, value)
const newEvent = fc.record(
  {
    id: fc.oneof(fc.constantFrom(...IDS, `evt_${'a'.repeat(65)}`), nasty),
    event: mostly(fc.constantFrom(...EVENT_TYPES)),
    data: mostly(fc.constantFrom({}, { a: [1] })),
  },
  { requiredKeys: ['event', 'data'] },
)

/** Values at the limits of each field and just beyond them. Unlisted fields get arbitrary JSON. */
const TRICKY = new Map<string, fc.Arbitrary<unknown>>(
  Object.entries({
    url: fc.constantFrom(...URLS),
    domain: fc.constantFrom(...DOMAINS),
    email: fc.constantFrom(...EMAILS),
    due_at: fc.constantFrom(...INSTANTS),
    headers,
    events: fc.oneof(eventTypes, fc.array(newEvent, { maxLength: 3 })),
    max_retries: number,
    amount: number,
    retry_schedule: fc.oneof(number, fc.array(number, { maxLength: 11 })),
    currency: fc.constantFrom('EUR', 'eur', 'EURO', 'EU', 'EUR\n', '', 'ÄÖÜ'),
    type: fc.constantFrom('call', 'email', 'meeting', 'note', 'Call', ''),
    event: fc.constantFrom(...EVENT_TYPES, 'test.webhook'),
    id: fc.constantFrom(...IDS),
  }),
)

const valueOf = (field: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: TRICKY.get(field) ?? fc.constantFrom(...TEXTS) },
    { weight: 2, arbitrary: fc.constantFrom(null, true, {}, [], ...TEXTS) },
    { weight: 1, arbitrary: value },
  )

/**
 * Makes nearly valid bodies: up to three fields are missing, have another value, or are unknown.
 *
 * @param fields the allowed names
 */
export const nearlyRightBody = (right: object, fields: readonly string[]): fc.Arbitrary<object> => {
  const change = fc
    .oneof({ weight: 12, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: nasty })
    .chain((field) =>
      fc.tuple(
        fc.constant(field),
        fc.oneof({ weight: 8, arbitrary: valueOf(field) }, { weight: 1, arbitrary: fc.constant(undefined) }),
      ),
    )
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.parse(JSON.stringify({ ...right, ...Object.fromEntries(changes) })) as object)
}
