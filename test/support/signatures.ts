import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import type { ReceivedRequest, Receiver } from '../../scripts/receiver/receiver.mjs'

const LIBRARIES = { standardwebhooks: StandardWebhook, svix: SvixWebhook }

/** Watches a test receiver: has every request to a path with a secret verified by both libraries. */
export type SignatureWatch = {
  readonly check: (request: ReceivedRequest) => void
  /** The receiver, whose secrets the watch learns as well. */
  readonly watched: (receiver: Receiver) => Receiver
  /** @throws Error that names the requests which a library refused */
  readonly expectAllVerified: () => void
}

export function watchSignatures(): SignatureWatch {
  const secrets = new Map<string, string[]>()
  const refused: string[] = []
  return {
    check(request) {
      const known = secrets.get(request.path)
      if (!known) return
      for (const [name, Library] of Object.entries(LIBRARIES)) {
        if (!known.some((secret) => isAccepted(new Library(secret), request))) {
          refused.push(`${name} refused ${String(request.headers['webhook-id'])} at ${request.path}`)
        }
      }
    },
    watched: (receiver) => ({
      ...receiver,
      trust(path, secret) {
        secrets.set(path, [...(secrets.get(path) ?? []), secret])
        receiver.trust(path, secret)
      },
      distrust(path) {
        secrets.delete(path)
        receiver.distrust(path)
      },
    }),
    expectAllVerified() {
      if (refused.length > 0) throw new Error(`signatures were refused:\n${refused.slice(0, 5).join('\n')}`)
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
