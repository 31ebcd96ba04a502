import type { Config } from '../config/index.ts'

/** How long another part may take to answer. */
const LIMIT_MS = 2_000

/** Asks Temporal and the api whether they are there. Neither throws. */
export const createProbes = (config: Config) => ({
  /** The version of Temporal's server; undefined: it does not answer. Loads its client only now, because that takes a while. */
  async askTemporal(): Promise<string | undefined> {
    const { lazyTemporalClient, readServerVersion } = await import('./temporal/client.ts')
    const client = lazyTemporalClient(config)
    try {
      return await readServerVersion(client, LIMIT_MS)
    } finally {
      await client.connection.close()
    }
  },

  /** The parts that /readyz at PUBLIC_URL names as missing; undefined: the api does not answer there. */
  async askApi(): Promise<readonly string[] | undefined> {
    try {
      const answer = await fetch(new URL('/readyz', config.publicUrl), {
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      const { parts } = (await answer.json()) as { readonly parts: Readonly<Record<string, boolean>> }
      const isMissing = ([name, value]: [string, boolean]) => (name === 'draining' ? value : !value)
      return Object.entries(parts)
        .filter(isMissing)
        .map(([name]) => name)
    } catch {
      return undefined
    }
  },
})
