import { plural } from './numbers.ts'

/** Why an attempt failed, and what the owner of the endpoint can do, in plain words. */
export type Cause = { readonly cause: string; readonly hint: string }

export const texts = {
  // durations.ts, times.ts
  years: ({ number }: { number: number }) => plural(number, 'year'),
  months: ({ number }: { number: number }) => plural(number, 'month'),
  days: ({ number }: { number: number }) => plural(number, 'day'),
  hours: ({ number }: { number: number }) => plural(number, 'hour'),
  daySigns: ({ number }: { number: number }) => `${number} d`,
  hourSigns: ({ number }: { number: number }) => `${number} h`,
  minuteSigns: ({ number }: { number: number }) => `${number} min`,
  secondSigns: ({ number }: { number: number }) => `${number} s`,
  millisecondSigns: ({ number }: { number: number }) => `${number} ms`,

  // times.ts
  utc: ({ time }: { time: string }) => `${time} UTC`,
  justNow: 'just now',
  now: 'now',
  today: 'Today',
  yesterday: 'Yesterday',
  ago: ({ span }: { span: string }) => `${span} ago`,
  in: ({ span }: { span: string }) => `in ${span}`,
  for: ({ span }: { span: string }) => `for ${span}`,

  // local-times.ts
  noTime: 'Write the day as 2026-01-31 and the time as 09:30.',
  endBeforeBegin: 'It must end after it begins.',

  // attempt-hints.ts
  /** For attempts without a status. docs/receiving.md explains the codes. */
  noAnswer: {
    dns_error: {
      cause: 'The host name does not resolve to a public address.',
      hint: 'Check the name in the URL, and that public name servers resolve it.',
    },
    blocked_address: {
      cause: 'The URL breaks a rule, or its address is refused.',
      hint: 'Change the URL. Private and loopback addresses are refused.',
    },
    connect_error: {
      cause: 'No connection: refused, unreachable, or reset.',
      hint: 'Check that the server runs, listens on the port of the URL, and that no firewall refuses us.',
    },
    connect_timeout: {
      cause: 'TCP and TLS together took longer than 5 seconds.',
      hint: 'Look for a firewall that drops packets, or a server too busy to accept connections.',
    },
    tls_error: {
      cause:
        'The TLS handshake failed: the certificate is not trusted, has expired or is for another name, or the server offers only TLS below 1.2.',
      hint: 'Renew the certificate, send the intermediate certificates too, and require no client certificate.',
    },
    connection_reset: {
      cause: 'The connection was closed before an answer came.',
      hint: "Look in your server's log for a crash or a restart, and for a proxy that closes connections early.",
    },
    response_timeout: {
      cause: 'No answer came in time.',
      hint: 'Store the event, answer 2xx at once, and do the work afterwards.',
    },
    protocol_error: {
      cause: 'What came back was not an HTTP/1.1 answer, or its headers were too large.',
      hint: 'Check that the port speaks HTTP over TLS, and keep the headers below 16 KiB.',
    },
  } as Readonly<Record<string, Cause>>,
  /** The same, in a word or two. */
  shortCauses: {
    dns_error: 'DNS error',
    blocked_address: 'address refused',
    connect_error: 'no connection',
    connect_timeout: 'connect timeout',
    tls_error: 'TLS error',
    connection_reset: 'connection closed',
    response_timeout: 'timeout',
    protocol_error: 'not HTTP',
  } as Readonly<Record<string, string>>,
  /** A status arrived, but the body was not whole. The status counts all the same. */
  bodyRemarks: {
    body_too_large: 'Its body went on beyond 64 KiB: answer with a short body or none.',
    body_cut: 'Its body broke off: send as many bytes as content-length says.',
    body_timeout: 'Its body did not end in time: end the answer with its last byte.',
  } as Readonly<Record<string, string>>,
  statuses: {
    401: {
      cause: 'The endpoint answered 401 Unauthorized.',
      hint: 'Check the signing secret in your code, and custom headers such as authorization.',
    },
    403: {
      cause: 'The endpoint answered 403 Forbidden.',
      hint: 'Check custom headers, and the rules of any firewall or proxy in front of your server.',
    },
    404: { cause: 'The endpoint answered 404 Not Found.', hint: 'Check the path of the URL.' },
    405: {
      cause: 'The endpoint answered 405 Method Not Allowed.',
      hint: 'Events are sent with POST. Check the path of the URL.',
    },
    410: {
      cause: 'The endpoint answered 410 Gone, which deactivates the webhook.',
      hint: 'If that was a mistake, activate the webhook again: what waits goes out then.',
    },
    413: {
      cause: 'The endpoint answered 413 Payload Too Large.',
      hint: 'Allow larger bodies: an event has up to 256 KiB of data.',
    },
    429: {
      cause: 'The endpoint answered 429 Too Many Requests.',
      hint: 'It asked us to slow down. A Retry-After header in its answer tells us when to try again.',
    },
    503: {
      cause: 'The endpoint answered 503 Service Unavailable.',
      hint: 'The endpoint is down or overloaded, or the proxy in front of it cannot reach it. A Retry-After header in its answer tells us when to try again.',
    },
  } as Readonly<Record<number, Cause>>,
  statusClasses: {
    3: (status, location) => ({
      cause: `The endpoint answered ${status}: a redirect${location === null ? '' : ` to ${location}`}. Redirects are never followed.`,
      hint: 'Change the URL of the webhook to where the redirect leads.',
    }),
    4: (status) => ({
      cause: `The endpoint answered ${status}: it rejected the request.`,
      hint: 'The body of its answer may say why. Answer 2xx to events that you do not need.',
    }),
    5: (status) => ({
      cause: `The endpoint answered ${status}: it failed to handle the request.`,
      hint: "Look in your server's log at the time of this attempt.",
    }),
  } as Readonly<Record<number, (status: number, location: string | null) => Cause>>,
  deliveredWithRemark: 'Delivered, with a remark.',
  unknownCause: (code: string): Cause => ({
    cause: `The attempt failed: ${code}.`,
    hint: "Look in your server's log at the time of this attempt.",
  }),
}
