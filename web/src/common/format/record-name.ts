import { isObject } from './is-object.ts'

/** What people call the record that an event is about: its name or its subject. Undefined where it has none. */
export function recordName(payload: unknown): string | undefined {
  const data = isObject(payload) ? payload['data'] : undefined
  const { name, subject } = isObject(data) ? data : {}
  return [name, subject].find((each): each is string => typeof each === 'string' && each !== '')
}
