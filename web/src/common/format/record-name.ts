import { isObject } from './is-object.ts'

/** Whether the text is the id of one of our records, which is shown by its end. Ids of clients have at most 100 characters. */
export const isRecordId = (id: string): boolean => /^[a-z]+_[0-9a-f-]{36}$/.test(id)

/** The name of the record that an event is about, read from a payload of any size. Lists have the same in `record_name`. */
export function recordName(payload: unknown): string | undefined {
  const data = isObject(payload) ? payload['data'] : undefined
  const { name, title, subject } = isObject(data) ? data : {}
  return [name, title, subject].find((each): each is string => typeof each === 'string' && each.trim() !== '')
}
