import type { Config } from '../config/index.ts'
import type { Status } from '../domain/status.ts'

/** How long another part may take to answer. */
const LIMIT_MS = 2_000

/** Node's codes for a certificate that it does not accept: of an unknown authority, outside its validity, or for another host. */
const CERTIFICATE_FAULTS = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_|ERR_TLS_CERT_)/

/** Asks Temporal and the api whether they answer. Neither function throws. */
export const createProbes = (config: Config) => ({
  /**
   * The version of Temporal's server; undefined when it does not answer. Loads Temporal's client only in this call,
   * because loading takes a while.
   */
  async askTemporal(): Promise<string | undefined> {
    const { lazyTemporalClient, readServerVersion } = await import('./temporal/client.ts')
    const client = lazyTemporalClient(config)
    try {
      return await readServerVersion(client, LIMIT_MS)
    } finally {
      await client.connection.close()
    }
  },

  /** Asks /readyz at PUBLIC_URL. */
  async askApi(): Promise<Status['api']> {
    try {
      const signal = AbortSignal.timeout(LIMIT_MS)
      const answer = await fetch(new URL('/readyz', config.publicUrl), { signal })
      const { parts } = (await answer.json()) as { readonly parts: Readonly<Record<string, boolean>> }
      const isMissing = ([name, value]: [string, boolean]) => (name === 'draining' ? value : !value)
      const missing = Object.entries(parts).filter(isMissing)
      return { kind: 'answers', missing: missing.map(([name]) => name) }
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as { code?: string }
      return CERTIFICATE_FAULTS.test(code) ? { kind: 'untrusted', code } : { kind: 'away' }
    }
  },
})
