import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import type { ReceivedRequest, Receiver } from '../../scripts/receiver/receiver.ts'

const LIBRARIES = [StandardWebhook, SvixWebhook]

/** Watches a test receiver. Both libraries verify every delivery that arrives. */
export function watchSignatures() {
  const secrets = new Map<string, string[]>()
  let unverified: ReceivedRequest[] = []
  const isVerified = (request: ReceivedRequest) =>
    LIBRARIES.every((Library) =>
      (secrets.get(request.path) ?? []).some((secret) => isAccepted(new Library(secret), request)),
    )
  return {
    check: (request: ReceivedRequest): void => {
      if (!isVerified(request)) unverified.push(request)
    },
    /** The receiver. The watch also records the secrets set on it. */
    watched(receiver: Receiver): Receiver {
      const trust = receiver.trust.bind(receiver)
      receiver.trust = (path, secret) => {
        secrets.set(path, [...(secrets.get(path) ?? []), secret])
        trust(path, secret)
        // A delivery may arrive before the test has read the answer that contains the secret.
        unverified = unverified.filter((request) => !isVerified(request))
      }
      return receiver
    },
    /** @throws Error with the deliveries since the last call that a library refused with all secrets of their path */
    expectAllVerified(): void {
      const names = unverified.map(({ headers, path }) => `${String(headers['webhook-id'])} at ${path}`)
      unverified = []
      if (names.length > 0) throw new Error(`signatures were refused:\n${names.slice(0, 5).join('\n')}`)
    },
  }
}

function isAccepted(verifier: StandardWebhook | SvixWebhook, { body, headers }: ReceivedRequest): boolean {
  try {
    verifier.verify(body.toString(), headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
