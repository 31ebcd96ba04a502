import { toRows } from './scope-grid.ts'
import { texts } from './texts.ts'

/** A preset: scopes that many keys have. */
export type Preset = { readonly name: string; readonly scopes: readonly string[] }

/** The families of records. Webhooks are not among them. */
const isRecords = (scope: string): boolean => !scope.endsWith(':all') && !scope.endsWith(':webhooks')

/**
 * The presets that the user may grant as a whole.
 *
 * @param scopes all scopes of the service
 * @param grantable the scopes that the user may grant
 */
export function presetsOf(scopes: readonly string[], grantable: readonly string[]): readonly Preset[] {
  const presets: readonly Preset[] = [
    { name: texts.readOnly, scopes: scopes.filter((scope) => scope === 'read:all') },
    {
      name: texts.publishEvents,
      scopes: scopes.filter((scope) => scope.startsWith('write:') && isRecords(scope)),
    },
    { name: texts.manageWebhooks, scopes: scopes.filter((scope) => scope.endsWith(':webhooks')) },
  ]
  return presets.filter(
    (preset) => preset.scopes.length > 0 && preset.scopes.every((scope) => grantable.includes(scope)),
  )
}

/** The name of the preset that equals these scopes, in any order. */
export const presetName = (presets: readonly Preset[], chosen: readonly string[]): string | undefined =>
  presets.find(
    ({ scopes }) => scopes.length === chosen.length && scopes.every((scope) => chosen.includes(scope)),
  )?.name

const listed = (words: readonly string[]): string =>
  words.length < 2
    ? words.join('')
    : texts.and({ others: words.slice(0, -1).join(', '), last: words.at(-1) ?? '' })

/** What the scopes permit, to end a sentence with: `read everything and change webhooks`. */
export function mayDo(scopes: readonly string[]): string {
  if (scopes.includes('admin:all')) return texts.doEverything
  const rows = toRows(scopes)
  const [reads, writes] = [rows.filter(({ read }) => read), rows.filter(({ write }) => write)]
  const families = (of: typeof rows) => listed(of.map(({ family }) => family))
  const parts = [
    scopes.includes('read:all')
      ? texts.readEverything
      : reads.length > 0
        ? texts.readThese({ records: families(reads) })
        : '',
    scopes.includes('write:all')
      ? texts.changeEverything
      : writes.length > 0
        ? texts.changeThese({ records: families(writes) })
        : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? texts.doNothingYet : listed(parts)
}

/** No address or range is longer than this. */
const LONGEST_ENTRY = 50

/** From where a key may be used, for the same sentence. @param entries of the allowlist */
export const fromWhere = (entries: readonly string[]): string =>
  entries.length === 0
    ? texts.fromAnyAddress
    : entries.length <= 3 && entries.every((entry) => entry.length <= LONGEST_ENTRY)
      ? texts.fromOnly({ entries: listed(entries) })
      : texts.fromMany({ number: entries.length })

/** An allowlist where there is room for one address: the only address, or the number of addresses. */
export const addressesInShort = (entries: readonly string[]): string =>
  entries.length === 0
    ? texts.any
    : entries.length === 1
      ? (entries[0] ?? '')
      : texts.entries({ number: entries.length })

/** Scopes for a list: the name of a preset, up to two scopes, or their number. */
export function scopesInShort(presets: readonly Preset[], scopes: readonly string[]): string {
  return (
    presetName(presets, scopes) ??
    (scopes.length <= 2 ? scopes.join(', ') : texts.scopeCount({ number: scopes.length }))
  )
}
