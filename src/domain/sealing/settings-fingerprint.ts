import { hashWithKey, type KeyRing } from './sealing.ts'

/** Settings by the name of their variable, in a form that is equal exactly when they mean the same. */
export type SharedSettings = Readonly<Record<string, unknown>>

/**
 * One hash for each setting, by the name of its variable. The hashes are keyed with a key of the ring, so that nobody
 * without that key can find a value by trying.
 */
export type SettingsFingerprint = {
  readonly keyId: string
  readonly hashes: Readonly<Record<string, string>>
}

/**
 * Hashes each setting, its name with its value.
 *
 * @param keyId of the key to use; by default the ring's first
 * @returns undefined when the ring has no such key
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
 * Names of the settings in which a process with this fingerprint differs from one with these settings. A setting that only
 * one of the two lists is not compared, because releases may differ in what they list.
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

/** Names of the settings in which processes differ. Hashes under different keys cannot be compared: SECRETS_KEYS differs. */
export function differingAmong(fingerprints: readonly SettingsFingerprint[]): string[] {
  if (new Set(fingerprints.map(({ keyId }) => keyId)).size > 1) return ['SECRETS_KEYS']
  const valuesOf = (name: string) => fingerprints.flatMap(({ hashes }) => hashes[name] ?? [])
  const names = new Set(fingerprints.flatMap(({ hashes }) => Object.keys(hashes)))
  return [...names].filter((name) => new Set(valuesOf(name)).size > 1).sort()
}
