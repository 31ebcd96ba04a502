import { isObject } from './is-object.ts'

/** Whether it is the id of a record of ours, which is shown by its end. Those of clients have at most 100 characters. */
export const isRecordId = (id: string): boolean => /^[a-z]+_[0-9a-f-]{36}$/.test(id)

/** What people call the record that an event is about, as `record_name` of lists says it, here of a payload of any size. */
export function recordName(payload: unknown): string | undefined {
  const data = isObject(payload) ? payload['data'] : undefined
  const { name, title, subject } = isObject(data) ? data : {}
  return [name, title, subject].find((each): each is string => typeof each === 'string' && each.trim() !== '')
}
