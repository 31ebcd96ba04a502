import { setLatest } from '../../domain/latest.ts'
import { compileAllowlist } from '../../domain/key/allowlist.ts'

/** How many compiled lists are kept; the least recently used one is dropped first. */
const KEPT = 1_000

/**
 * Gives the matcher of an allowlist, compiled at its first use. Matchers are kept by the content of the list and not by
 * the key, so a key whose list changes gets another matcher at once.
 */
export function createAllowlistMatchers(): (entries: readonly string[]) => (address: string) => boolean {
  const matchers = new Map<string, (address: string) => boolean>()
  return (entries) => {
    const content = JSON.stringify(entries)
    const matcher = matchers.get(content) ?? compileAllowlist(entries)
    setLatest(matchers, content, matcher, KEPT)
    return matcher
  }
}
