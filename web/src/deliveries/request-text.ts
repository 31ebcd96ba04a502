type SentRequest = {
  readonly url: string
  readonly eventId: string
  readonly body: string
  readonly headerNames: readonly string[]
}

/** The HTTP request as text. Values that are secret, or differ between attempts, are replaced by their names. */
export function requestText({ url, eventId, body, headerNames }: SentRequest): string {
  const { host, pathname, search } = new URL(url)
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    `webhook-id: ${eventId}`,
    'webhook-timestamp: (seconds, at each attempt)',
    'webhook-signature: v1,(at each attempt)',
    'content-type: application/json',
    'user-agent: SalesDataWebhooks/1.0',
    ...headerNames.map((name) => `${name}: (hidden)`),
    '',
    body,
  ].join('\n')
}
