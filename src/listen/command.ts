import { ApiError, invalid } from '../domain/errors.ts'
import { isLoopbackHost } from '../domain/net/host-port.ts'
import { isWebhookSecret, newWebhookSecret } from '../domain/webhook/signing.ts'
import type { Command, Secrets, Values } from '../cli/command.ts'

/** How long a post and its answer may take together, in milliseconds. The same as the default of WEBHOOK_TIMEOUT. */
export const POST_LIMIT_MS = 15_000

/** `listen`, for the help and the parser. src/cli.ts calls run.ts, not `run`, and so loads no other command. */
export const LISTEN: Command = {
  name: 'listen',
  group: 'For developers',
  summary: 'Follow the events of a company and post each one, signed, to an address of this machine.',
  options: {
    api: { value: 'URL', help: 'Where the api is, such as https://sales.example.com.', isRequired: true },
    'forward-to': {
      value: 'URL',
      help: 'Where to post events, such as http://localhost:4000/hook.',
      isRequired: true,
    },
    key: {
      value: 'KEY',
      help: 'An API key with read:webhooks. Without it a terminal asks, or stdin is read.',
    },
    events: {
      value: 'TYPE,…',
      help: 'Only events of these types, such as contact.created; by default of all.',
    },
    since: {
      value: 'CURSOR',
      help: 'Replay what comes behind this cursor, or start: all there is. By default only what comes from now on.',
    },
    secret: { value: 'SECRET', help: 'Sign with this secret, whsec_…. By default with a new one.' },
  },
  details: `Events go one at a time, in order, with the bytes and headers of a delivery. Each is posted once: what the address
refuses, or does not answer within ${POST_LIMIT_MS / 1000} s, counts as failed, and --since replays it. Ctrl-C ends, and prints
where to go on. It needs neither database nor settings. dist/listen.js is the same program in one file.`,
  run: () => Promise.reject(new Error('src/cli.ts runs listen without the parts of the service')),
}

/** What to follow, and where to post the events. */
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
  const api = readUrl('api', values['api'], 'the key')
  const forwardTo = readUrl('forward-to', values['forward-to'], 'events')
  const secret = values['secret'] ?? newWebhookSecret()
  if (!isWebhookSecret(secret)) throw invalid('--secret must be whsec_ and the base64 of 24 to 64 bytes.')
  const key = values['key'] ?? (await secrets.read('API key: ', '--key'))
  // The key becomes a header. With other characters fetch would fail, and its error would not name --key.
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

/** @param cargo names what is sent to the URL. The error message says that this must not travel in clear */
function readUrl(name: string, text: string | undefined, cargo: string): URL {
  const url = URL.parse(text ?? '')
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.hash !== '')
    throw invalid(`--${name} must be a URL that begins with http:// or https://, without a user or #.`)
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url
  throw invalid(`--${name} must begin with https:// beyond this machine, or ${cargo} would travel in clear.`)
}
