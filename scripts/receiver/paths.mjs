import { Webhook } from 'standardwebhooks'

/**
 * @typedef {import('./receiver.d.mts').Behaviour} Behaviour
 * @typedef {import('node:http').IncomingHttpHeaders} Headers
 * @typedef {{ behaviour: Behaviour, counts: Map<string, number> }} PathState counts: requests since the path was told to
 *   behave so, by the value of the header that `countBy` names
 */

/** For how many header values a path remembers its count; the oldest is forgotten first. */
const REMEMBERED = 10_000

/**
 * How each path behaves, how many requests it got since it was told so, and which secrets it trusts.
 *
 * @param {Pick<import('./receiver.d.mts').ReceiverOptions, 'behaviourOf' | 'secretsOf'>} rules for paths that were not told
 */
export function createPaths({ behaviourOf = () => undefined, secretsOf = async () => [] }) {
  /** @type {Map<string, PathState>} */
  const states = new Map()
  /** @type {Map<string, string[]>} */
  const trusted = new Map()

  return {
    behave: (/** @type {string} */ path, /** @type {Behaviour | undefined} */ behaviour = {}) =>
      void states.set(path, { behaviour, counts: new Map() }),
    trust: (/** @type {string} */ path, /** @type {string} */ secret) => {
      new Webhook(secret) // refuses what is no secret
      trusted.set(path, [...(trusted.get(path) ?? []), secret])
    },
    distrust: (/** @type {string} */ path) => void trusted.delete(path),

    /** @param {string} path @param {Headers} headers @returns {{ behaviour: Behaviour, number: number }} */
    arrive(path, headers) {
      const state = states.get(path) ?? { behaviour: behaviourOf(path) ?? {}, counts: new Map() }
      states.set(path, state)
      const { behaviour, counts } = state
      const counted = behaviour.countBy === undefined ? '' : String(headers[behaviour.countBy])
      const number = (counts.get(counted) ?? 0) + 1
      counts.set(counted, number)
      if (counts.size > REMEMBERED) counts.delete(/** @type {string} */ (counts.keys().next().value))
      return { behaviour, number }
    },

    /**
     * @param {string} path
     * @param {Headers} headers
     * @param {Buffer} body
     * @returns {Promise<boolean | undefined>} undefined when the path trusts no secret
     */
    async verify(path, headers, body) {
      const secrets = [...(trusted.get(path) ?? []), ...(await secretsOf(path))]
      if (secrets.length === 0) return undefined
      return secrets.some((secret) => isSigned(new Webhook(secret), headers, body))
    },
  }
}

/** @param {Webhook} verifier @param {Headers} headers @param {Buffer} body @returns {boolean} whether its signature is right */
export function isSigned(verifier, headers, body) {
  try {
    verifier.verify(body, /** @type {Record<string, string>} */ (headers), { jsonParse: false })
    return true
  } catch {
    return false
  }
}
