import { shellWord } from '../common/format/shell.ts'

/** The request of a delivery. `body` has the bytes that were sent. */
type SentRequest = {
  readonly url: string
  readonly eventId: string
  readonly body: string
  /** Names only: their values are often credentials. */
  readonly headerNames: readonly string[]
}

/**
 * The request as a command for a shell. Signature and timestamp are left out, because only the holder of the secret can make
 * them: an endpoint that verifies refuses it.
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
