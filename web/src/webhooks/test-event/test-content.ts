import type { EventType, TestEventInput } from '../../common/api/wire.ts'
import { isObject } from '../../common/format/is-object.ts'
import { texts } from './texts.ts'

/** The parts of an event that a user may write. The service adds the others. */
const PARTS = ['subject', 'revision', 'data', 'previous'] as const

/** The most bytes of a request. */
export const TEST_LIMIT_BYTES = 256 * 1024

/** The error of a text, and its place as a number of characters from the beginning. */
export type Fault = { readonly message: string; readonly offset?: number }

type Read =
  | { readonly body: TestEventInput; readonly fault?: never }
  | { readonly fault: Fault; readonly body?: never }

/** The example of an event type, as editable text. */
export const exampleText = ({ example }: EventType): string =>
  JSON.stringify(
    Object.fromEntries(PARTS.flatMap((part) => (part in example ? [[part, example[part]]] : []))),
    null,
    2,
  )

/** Reads the user's text as the body of a request for a test event. */
export function readTestContent(type: EventType['name'], text: string): Read {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { fault: faultOfJson(text, error instanceof Error ? error.message : '') }
  }
  const message = faultOf(value)
  if (message !== undefined) return { fault: { message } }
  const body: TestEventInput = { event: type, ...(value as object) }
  const bytes = new TextEncoder().encode(JSON.stringify(body)).length
  return bytes > TEST_LIMIT_BYTES ? { fault: { message: texts.testTooLarge({ bytes }) } } : { body }
}

/** Browsers name the place in different ways: `line 3 column 5`, `position 17`, or not at all. */
function faultOfJson(text: string, message: string): Fault {
  const lines = text.split('\n')
  const [, line, column] = (/line (\d+) column (\d+)/.exec(message) ?? []).map(Number)
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN)
  const ofLine =
    line && column ? lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1 : undefined
  const offset = ofLine ?? (Number.isNaN(position) ? atEnd(text, message) : position)
  if (offset === undefined) return { message: texts.noJson }
  const before = text.slice(0, offset).split('\n')
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  return { message: texts.noJsonAt(place), offset }
}

const atEnd = (text: string, message: string): number | undefined =>
  /end|EOF/i.test(message) ? text.length : undefined

function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return texts.testNoObject
  const unknown = Object.keys(value).find((name) => !PARTS.some((part) => part === name))
  if (unknown !== undefined) return texts.testUnknownPart({ name: unknown })
  if (!isObject(value['data'])) return texts.testNoData
  return undefined
}
