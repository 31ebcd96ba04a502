import { required, type Secrets, type Values } from '../cli/command.ts'
import { ApiError } from '../domain/errors.ts'
import { isLoopbackHost } from '../domain/net/host-port.ts'
import { isWebhookSecret, newWebhookSecret } from '../domain/webhook/signing.ts'

/** What to follow, and where it goes. */
export type ListenSettings = {
  /** The api, without a slash at its end. */
  readonly api: string
  readonly key: string
  readonly forwardTo: URL
  /** Types with commas between; undefined: all. The api checks them. */
  readonly events: string | undefined
  /** A cursor, `start` or `end`. */
  readonly since: string
  /** Signs the posts: whsec_…. */
  readonly secret: string
}

/** Reads the options. @throws ApiError VALIDATION_ERROR, INVALID_API_KEY; UsageError when no key is given */
export async function readListenSettings(values: Values, secrets: Secrets): Promise<ListenSettings> {
  const api = readUrl('api', required(values, 'api'), 'the key')
  const forwardTo = readUrl('forward-to', required(values, 'forward-to'), 'events')
  const secret = values['secret'] ?? newWebhookSecret()
  if (!isWebhookSecret(secret)) {
    throw invalid('--secret must be whsec_ and the base64 of 24 to 64 bytes.')
  }
  const key = values['key'] ?? (await secrets.read('API key: ', '--key'))
  // fetch would refuse such a header without naming it.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ApiError('INVALID_API_KEY', '--key is not an API key.')
  return {
    api: `${api.origin}${api.pathname.replace(/\/+$/, '')}`,
    key,
    forwardTo,
    events: values['events'],
    since: values['since'] ?? 'end',
    secret,
  }
}

/** @param cargo what goes there, and must not travel in clear */
function readUrl(option: string, text: string, cargo: string): URL {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.hash !== '')
    throw invalid(`--${option} must be a URL that begins with http:// or https://, without a user or #.`)
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url
  throw invalid(
    `--${option} must begin with https:// beyond this machine, or ${cargo} would travel in clear.`,
  )
}

const invalid = (message: string): ApiError => new ApiError('VALIDATION_ERROR', message)
