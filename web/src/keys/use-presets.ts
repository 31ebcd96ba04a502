import { useSession } from '../common/session/context.ts'
import { presetsOf, type Preset } from './key-words.ts'

/** The presets of scopes that the user may choose. */
export function usePresets(): readonly Preset[] {
  const { settings, grantable_scopes: grantable } = useSession()
  return presetsOf(
    settings.scopes.map(({ name }) => name),
    grantable,
  )
}
