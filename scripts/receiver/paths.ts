import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { Behaviour, ReceiverOptions } from './receiver.ts'

/** `counts`: requests since the path was told to behave so, by the value of the header that `countBy` names. */
type PathState = { behaviour: Behaviour; counts: Map<string, number> }

/** For how many header values a path remembers its count; the oldest is forgotten first. */
const REMEMBERED = 10_000

/** How each path behaves, how many requests it got since it was told so, and which secrets it trusts. */
export class Paths {
  readonly #states = new Map<string, PathState>()
  readonly #trusted = new Map<string, string[]>()
  readonly #rules: Pick<ReceiverOptions, 'behaviourOf' | 'secretsOf'>

  /** @param rules for paths that were not told */
  constructor(rules: Pick<ReceiverOptions, 'behaviourOf' | 'secretsOf'>) {
    this.#rules = rules
  }

  behave(path: string, behaviour: Behaviour = {}): void {
    this.#states.set(path, { behaviour, counts: new Map() })
  }

  /** @throws Error for what is no secret */
  trust(path: string, secret: string): void {
    new Webhook(secret)
    this.#trusted.set(path, [...(this.#trusted.get(path) ?? []), secret])
  }

  distrust(path: string): void {
    this.#trusted.delete(path)
  }

  /** Counts a request. */
  arrive(path: string, headers: IncomingHttpHeaders): { behaviour: Behaviour; number: number } {
    if (!this.#states.has(path)) this.behave(path, this.#rules.behaviourOf?.(path))
    const { behaviour, counts } = this.#states.get(path)!
    const counted = behaviour.countBy === undefined ? '' : String(headers[behaviour.countBy])
    const number = (counts.get(counted) ?? 0) + 1
    counts.set(counted, number)
    if (counts.size > REMEMBERED) counts.delete(counts.keys().next().value!)
    return { behaviour, number }
  }

  /** @returns undefined when the path trusts no secret */
  async verify(path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<boolean | undefined> {
    const secrets = [...(this.#trusted.get(path) ?? []), ...((await this.#rules.secretsOf?.(path)) ?? [])]
    if (secrets.length === 0) return undefined
    return secrets.some((secret) => isSigned(new Webhook(secret), headers, body))
  }
}

/** Whether its signature is right. */
export function isSigned(verifier: Webhook, headers: IncomingHttpHeaders, body: Buffer): boolean {
  try {
    verifier.verify(body, headers as Record<string, string>, { jsonParse: false })
    return true
  } catch {
    return false
  }
}
