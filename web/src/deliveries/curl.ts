import { shellWord } from '../common/format/shell.ts'

/** The request of a delivery. `body` has the bytes that were sent. */
type SentRequest = {
  readonly url: string
  readonly eventId: string
  readonly body: string
  /** The names of the custom headers, without their values, which are often credentials. */
  readonly headerNames: readonly string[]
}

/**
 * The request as a shell command. It has no signature and no timestamp, because only the holder of the secret can make
 * them. So an endpoint that verifies signatures refuses it.
 */
export function curlText({ url, eventId, body, headerNames }: SentRequest): string {
  const headers = [
    'content-type: application/json',
    `webhook-id: ${eventId}`,
    ...headerNames.map((name) => `${name}: <your value>`),
  ]
  return [
    `curl -X POST ${shellWord(url)}`,
    ...headers.map((header) => `  -H ${shellWord(header)}`),
    `  --data-binary ${shellWord(body)}`,
  ].join(' \\\n')
}
