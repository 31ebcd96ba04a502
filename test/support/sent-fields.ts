import { snakeCased } from '../../src/domain/fields/case.ts'
import { words } from './words.ts'

/**
 * Converts a value to the JSON that a client gets, where times are texts and members without a value are absent.
 *
 * @param names of the members to send, in snake case; the value has them in camel case
 */
export function sentFields(value: object, names: string): Record<string, unknown> {
  const sent = snakeCased(JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
  return Object.fromEntries(words(names).map((name) => [name, sent[name]]))
}
