import Joi from 'joi'
import { parseDurationWithin, type DurationBounds } from '../domain/durations.ts'
import { FIRST_ATTEMPTS, type FirstAttempt } from '../domain/delivery/delivery.ts'
import { isMailAddress } from '../domain/mail/mail.ts'
import { isLoopbackHost, parseHostPort } from '../domain/net/host-port.ts'
import { DEFAULT_ROTATION_GRACES_MS, type RotationGrace } from '../domain/key/rotation.ts'
import { isWebhookSecret } from '../domain/webhook/signing.ts'

/** The values that rules read from the texts of variables. */
export type ValuesOf<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends Joi.AnySchema<infer Value> ? Value : never
}

/** The rule of a variable that may be missing. */
export const optional = <Value>(rule: Joi.AnySchema<Value>): Joi.AnySchema<Value | undefined> => rule

/**
 * A rule for text of a certain form.
 *
 * @param read gives undefined for text of another form
 * @param wanted completes the error "… must …". The error never shows the text, which may contain a password
 */
const readBy = <Value>(read: (text: string) => Value | undefined, wanted: string) =>
  Joi.string<Value>().custom(
    (text: string, helpers) => read(text) ?? helpers.message({ custom: `{{#label}} must ${wanted}` }),
  )

/** Does the same as readBy, but the value is the text itself. */
const textThat = (isSo: (text: string) => boolean, wanted: string) =>
  readBy((text) => (isSo(text) ? text : undefined), wanted)

/** A duration in milliseconds. The bounds keep timers far below 2^31 ms: a longer timer would end at once in Node. */
export const duration = (bounds: DurationBounds) =>
  readBy(
    (text) => parseDurationWithin(text, bounds),
    `be a duration from ${bounds.shortest} to ${bounds.longest}, such as "250ms", "5s", "5m" or "2h"`,
  )

/** A duration that is only compared with times. It drives no timer, so it may be long. 0 means never. */
export const durationOrNever = (bounds: DurationBounds, examples = '"12h" or "5d"') =>
  readBy(
    (text) => (text.trim() === '0' ? 0 : parseDurationWithin(text, bounds)),
    `be 0, or a duration from ${bounds.shortest} to ${bounds.longest}, such as ${examples}`,
  )

/** Makes a rule from a domain parser that throws on bad text. The parser's message becomes the message of the rule. */
export const parsedBy = <Value>(parse: (text: string) => Value) =>
  Joi.string<Value>()
    .allow('')
    .custom((text: string, helpers) => {
      try {
        return parse(text)
      } catch (error) {
        return helpers.message({ custom: `{{#label}}: ${(error as Error).message.replaceAll('{', '(')}` })
      }
    })

/** The rule of a variable that is "on" or "off". */
export const onOrOff = Joi.string<'on' | 'off'>()
  .valid('on', 'off')
  .messages({ 'any.only': '{{#label}} must be "on" or "off"' })

/**
 * One of the two ways to a first attempt. Former releases also allowed `adaptive`, so the error for that value says
 * what to set instead.
 */
export const firstAttempt = Joi.string<FirstAttempt>().custom((text: string, helpers) => {
  if (FIRST_ATTEMPTS.some((known) => known === text)) return text
  const isGone = text === 'adaptive'
  const hint = isGone ? ': adaptive is gone; set direct, which is what it did under load' : ''
  return helpers.message({ custom: `{{#label}} must be one of [${FIRST_ATTEMPTS.join(', ')}]${hint}` })
})

/** A TCP or UDP port. */
export const port = Joi.number().integer().min(1).max(65535)

/** Where others reach a process: `worker-1:3001`, `10.0.0.7:3001`, `[fd00::7]:3001`. */
export const hostPort = textThat(
  (text) => parseHostPort(text) !== undefined,
  'look like host:port or [::1]:port, with a port from 1 to 65535',
).max(255)

/** A version of Temporal's Worker Versioning: which deployment, and which build of it. */
type WorkerDeployment = { readonly deploymentName: string; readonly buildId: string }

/** A version as text: `webhooks:2026-11-26.1`. Temporal accepts no dot and no colon in the name, and no `__` at its beginning. */
export const workerDeployment = readBy<WorkerDeployment>((text) => {
  const [, deploymentName, buildId] = /^((?!__)[\w-]{1,100}):((?!__)[\w.+-]{1,100})$/.exec(text) ?? []
  return deploymentName !== undefined && buildId !== undefined ? { deploymentName, buildId } : undefined
}, 'look like name:build, such as webhooks:2026-11-26.1, each of up to 100 letters, digits, "_" and "-"; the build may have "." and "+" too')

/** The database, with user and password. */
export const databaseUrl = textThat(
  (text) => DATABASE_URL_FORM.test(text) && isReadableUrl(text),
  'look like mysql://user:password@host:port/database, with user and password percent-encoded',
)

/** Where notices go. */
export const noticeUrl = textThat(
  isNoticeUrl,
  'be https://host/path, or http:// on this machine (127.0.0.1, ::1, localhost), without user name, password and fragment',
)

function isNoticeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** The URL of a server: a host, perhaps with port, user and password, but without path and query. */
const isServerUrl = (scheme: RegExp) => (text: string) =>
  scheme.test(text) && SERVER_FORM.test(text) && isReadableUrl(text)

const SERVER_FORM = /^\w+:\/\/([^@/?#:]+:[^@/?#:]*@)?(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?\/?$/i

/** The proxy through which requests to addresses of customers go. */
export const egressProxy = textThat(
  isServerUrl(/^https?:/i),
  'look like http://user:password@host:port or https://host, with user and password percent-encoded and without path and query',
)

/** The mail server. nodemailer would read options in a path or a query, which could switch off the check of the certificate. */
export const smtpUrl = textThat(
  isServerUrl(/^smtps?:/i),
  'look like smtps://user:password@host:465, or smtp://user:password@host:587 for STARTTLS, with user and password percent-encoded',
)

/** The sender of mails: `alerts@example.com`, or `Alerts <alerts@example.com>`. */
export const mailSender = textThat((text) => {
  const [, name, named, plain = ''] = /^(?:([^<>\p{C}]{0,100}) <([^>]+)>|(\S+))$/u.exec(text) ?? []
  return isMailAddress(named ?? plain) && !name?.includes('"')
}, 'look like alerts@example.com, or Alerts <alerts@example.com>')

/** A signing secret of Standard Webhooks. */
export const signingSecret = textThat(
  isWebhookSecret,
  'be whsec_ and the base64 of 24 to 64 bytes, such as that of openssl rand -base64 24',
)

const DATABASE_URL_FORM = /^mysql:\/\/[^@/]+@[^/]+\/[A-Za-z0-9_]+$/

/** Whether the URL can be parsed, and its user and password can be decoded. A connection needs both. */
function isReadableUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text)
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}

/** The bounds of a retry delay and of a grace period. The `retry_schedule` of a webhook has the same longest delay. */
const DELAY: DurationBounds = { shortest: '100ms', longest: '7d' }

/** Parses a retry schedule, such as "5s,5m", into delays in milliseconds. @throws Error that says what the text must be */
export function parseSchedule(text: string): number[] {
  const delays = text.split(',').map((part) => parseDurationWithin(part, DELAY))
  if (delays.length > 10 || delays.includes(undefined))
    throw new Error('must be 1 to 10 durations from 100ms to 7d separated by commas, such as "5s,5m,30m"')
  return delays as number[]
}

/**
 * Parses grace periods by name, such as "1h=3s", into milliseconds. Grace periods that the text does not name keep
 * their default.
 *
 * @throws Error that says what the text must be
 */
export function parseGraces(text: string): Record<RotationGrace, number> {
  const graces: Record<RotationGrace, number> = { ...DEFAULT_ROTATION_GRACES_MS }
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', value = '', ...rest] = entry.trim().split('=')
    const graceMs = parseDurationWithin(value, DELAY)
    if (!Object.hasOwn(graces, name) || graceMs === undefined || rest.length > 0)
      throw new Error('must look like "1h=3s,6h=4s", each from 100ms to 7d')
    graces[name as RotationGrace] = graceMs
  }
  return graces
}
