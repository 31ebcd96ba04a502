import { Webhook } from 'standardwebhooks'
import { isSigned } from '../scripts/receiver/paths.ts'
import type { ReceivedRequest } from '../scripts/receiver/receiver.ts'

/** One request that an endpoint received. `path` names the webhook, `status` is what it was answered, `atMs` is epoch. */
export type Seen = Pick<ReceivedRequest, 'path' | 'isCut'> & {
  /** webhook-id: the event's id. */
  readonly id: string
  readonly atMs: number
  status: ReceivedRequest['status']
  /** Index of the path's secret that fits the signature; -1: no known secret does. */
  secret: number
}

/** `retiredAtMs`: when the api answered with the next secret. */
type Secret = { readonly verifier: Webhook; retiredAtMs: number }

/** The receivers' record: which request came when, what it was answered, and which secret had signed it. */
export class ReceiverRecord {
  readonly seen: Seen[] = []
  /** By path, the oldest first. */
  readonly #secrets = new Map<string, Secret[]>()
  /** Requests whose signature no known secret fits: the answer with the secret may still come. */
  #unverified: { seen: Seen; request: ReceivedRequest }[] = []

  add(request: ReceivedRequest) {
    const { path, headers, receivedAt, status, isCut } = request
    const secret = this.#findSecret(request)
    const id = String(headers['webhook-id'])
    const seen = { path, id, atMs: receivedAt.getTime(), status, isCut, secret }
    this.seen.push(seen)
    if (secret < 0) this.#unverified.push({ seen, request })
  }

  /** Takes a secret that the api has answered with, and checks again the requests that no former secret fits. */
  learn(path: string, secret: string) {
    const secrets = this.#secrets.get(path) ?? []
    const former = secrets.at(-1)
    if (former) former.retiredAtMs = Date.now()
    secrets.push({ verifier: new Webhook(secret), retiredAtMs: Infinity })
    this.#secrets.set(path, secrets)
    this.#unverified = this.#unverified.filter(({ seen, request }) => {
      if (seen.path === path) seen.secret = this.#findSecret(request)
      return seen.secret < 0
    })
  }

  /** When the secret of its signature was replaced, epoch; Infinity: never. */
  retiredAtMs({ path, secret }: Pick<Seen, 'path' | 'secret'>): number {
    return this.#secrets.get(path)?.[secret]?.retiredAtMs ?? Infinity
  }

  /** The newest secret that fits; -1 for none. */
  #findSecret({ path, headers, body }: ReceivedRequest): number {
    const secrets = this.#secrets.get(path) ?? []
    return secrets.findLastIndex(({ verifier }) => isSigned(verifier, headers, body))
  }
}

/** Whether it was answered with 2xx. */
export const isGood = ({ status }: { readonly status: number | null | undefined }): boolean =>
  (status ?? 0) >= 200 && (status ?? 0) <= 299

/** Names a delivery: an event at a webhook. */
export const deliveryKey = ({ path, id }: Pick<Seen, 'path' | 'id'>): string => `${path} ${id}`
