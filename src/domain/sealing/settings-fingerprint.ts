import { hashWithKey, type KeyRing } from './sealing.ts'

/** Settings by the names of their variables. Two values are equal exactly if they have the same meaning. */
export type SharedSettings = Readonly<Record<string, unknown>>

/**
 * One hash for each setting, by the name of its variable. The hashes use a key of the ring, so that nobody without that key
 * can find a value by trying.
 */
export type SettingsFingerprint = {
  readonly keyId: string
  readonly hashes: Readonly<Record<string, string>>
}

/**
 * Hashes each setting: its name together with its value.
 *
 * @param keyId id of the key to use; by default the ring's first key
 * @returns undefined if the ring has no such key
 */
export function fingerprintSettings(
  ring: KeyRing,
  settings: SharedSettings,
  keyId = ring.firstKeyId,
): SettingsFingerprint | undefined {
  const key = ring.keys.get(keyId)
  if (!key) return undefined
  const hashes = Object.entries(settings).map(
    ([name, value]) => [name, hashWithKey(key, `settings|${name}|${JSON.stringify(value)}`)] as const,
  )
  return { keyId, hashes: Object.fromEntries(hashes) }
}

/**
 * Compares our settings with the fingerprint of another process. Returns the names of the settings that differ. A
 * setting that only one of the two processes lists is not compared, because releases may list different settings.
 */
export function differingSettings(
  ring: KeyRing,
  settings: SharedSettings,
  other: SettingsFingerprint,
): string[] {
  const own = fingerprintSettings(ring, settings, other.keyId)
  if (!own) return ['SECRETS_KEYS']
  return Object.entries(own.hashes)
    .filter(([name, hash]) => name in other.hashes && other.hashes[name] !== hash)
    .map(([name]) => name)
}

/**
 * The names of the settings in which processes differ. Hashes with different keys cannot be compared; then SECRETS_KEYS is
 * named.
 */
export function differingAmong(fingerprints: readonly SettingsFingerprint[]): string[] {
  if (new Set(fingerprints.map(({ keyId }) => keyId)).size > 1) return ['SECRETS_KEYS']
  const valuesOf = (name: string) => fingerprints.flatMap(({ hashes }) => hashes[name] ?? [])
  const names = new Set(fingerprints.flatMap(({ hashes }) => Object.keys(hashes)))
  return [...names].filter((name) => new Set(valuesOf(name)).size > 1).sort()
}
