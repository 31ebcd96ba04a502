import type { Key, SignedIn } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** Whether the key can still change. An expired or revoked key cannot. */
export const isAlive = ({ state }: Key): boolean => state !== 'expired' && state !== 'revoked'

/** Whether the user may change the key: members only their own. The api checks it again. */
export const mayChange = ({ user, permissions }: SignedIn, key: Key): boolean =>
  permissions.includes('keys.any') || (key.type === 'Personal' && key.user_id === user.id)

/** The actions that change the state of a key. */
export type KeyAction = 'rotate' | 'disable' | 'enable' | 'revoke'

export const ACTION_NAMES: Readonly<Record<KeyAction, string>> = {
  rotate: texts.rotate,
  disable: texts.disable,
  enable: texts.enable,
  revoke: texts.revoke,
}

/** What the user may do with a key in its present state. */
export function actionsOn(session: SignedIn, key: Key): readonly KeyAction[] {
  if (!mayChange(session, key) || !isAlive(key)) return []
  if (key.state === 'active') return ['rotate', 'disable', 'revoke']
  return key.state === 'disabled' ? ['enable', 'revoke'] : ['revoke']
}
