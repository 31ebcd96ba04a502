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
  ago: ({ span }: { span: string }) => `${span} ago`,
  in: ({ span }: { span: string }) => `in ${span}`,
  for: ({ span }: { span: string }) => `for ${span}`,

  // local-times.ts
  endBeforeBegin: 'It must end after it begins.',

  // attempt-hints.ts
  /** No status came. The codes and their meaning are those of docs/receiving.md. */
  noAnswer: {
    dns_error: {
      cause: 'The host name does not resolve to a public address.',
      hint: 'Check the name in the URL, and that public name servers know it.',
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
      hint: 'Look for a firewall that drops packets, and for a server too busy to accept.',
    },
    tls_error: {
      cause:
        'The TLS handshake failed: certificate not trusted, expired or for another name, or TLS below 1.2.',
      hint: 'Renew the certificate, send the intermediate ones too, and ask for no client certificate.',
    },
    connection_reset: {
      cause: 'The connection was closed before a status line came.',
      hint: "Look for a crash or a restart in your server's log, and for a proxy that closes early.",
    },
    response_timeout: {
      cause: 'No status line came in time.',
      hint: 'Keep the event, answer 2xx at once, and do the work afterwards.',
    },
    protocol_error: {
      cause: 'What came was no HTTP/1.1 answer, or its headers were too large.',
      hint: 'Check that the port speaks HTTP over TLS, and send less than 16 KiB of headers.',
    },
  } as Readonly<Record<string, Cause>>,
  /** The same in a word or two. */
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
  /** An answer came, and its body was not whole. The status counts all the same. */
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
      hint: 'Check custom headers, and rules of a firewall or proxy before your server.',
    },
    404: { cause: 'The endpoint answered 404 Not Found.', hint: 'Check the path of the URL.' },
    405: {
      cause: 'The endpoint answered 405 Method Not Allowed.',
      hint: 'Events are sent with POST. Check the path of the URL.',
    },
    410: {
      cause: 'The endpoint answered 410 Gone, which deactivates the webhook.',
      hint: 'Activate the webhook again if that was a mistake; what waits goes out then.',
    },
    413: {
      cause: 'The endpoint answered 413 Payload Too Large.',
      hint: 'Allow larger bodies: events have up to 256 KiB of data.',
    },
    429: {
      cause: 'The endpoint answered 429 Too Many Requests.',
      hint: 'It asked us to slow down. A Retry-After header in its answer tells us when to try again.',
    },
    503: {
      cause: 'The endpoint answered 503 Service Unavailable.',
      hint: 'It is down or has too much to do, or a proxy before it finds no server. A Retry-After header in its answer tells us when to try again.',
    },
  } as Readonly<Record<number, Cause>>,
  statusClasses: {
    3: (status, location) => ({
      cause: `The endpoint answered ${status}: a redirect${location === null ? '' : ` to ${location}`}. Redirects are never followed.`,
      hint: 'Change the URL of the webhook to where the redirect leads.',
    }),
    4: (status) => ({
      cause: `The endpoint answered ${status}: it did not like the request.`,
      hint: 'The body of its answer may say why. Answer 2xx to events that you do not want.',
    }),
    5: (status) => ({
      cause: `The endpoint answered ${status}: it has a fault.`,
      hint: "Look into your server's log at the time of this attempt.",
    }),
  } as Readonly<Record<number, (status: number, location: string | null) => Cause>>,
  deliveredWithRemark: 'Delivered, with a remark.',
  unknownCause: (code: string): Cause => ({
    cause: `The attempt failed: ${code}.`,
    hint: 'Look into the log of your server at the time of this attempt.',
  }),
}
