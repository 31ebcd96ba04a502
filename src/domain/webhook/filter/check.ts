import {
  FILTER_LIMITS,
  FILTER_ROOTS,
  type Comparison,
  type Condition,
  type FieldCondition,
  type Filter,
  type Scalar,
} from './condition.ts'
import { compilePattern, LONGEST_PATTERN } from './pattern.ts'

type ParsedFilter =
  | { readonly ok: true; readonly conditions: readonly Condition[] }
  | { readonly ok: false; readonly reason: string }

/** Parses a filter. The reason of a refusal names the place, as in `"filter.$or[0].data.amount.$gt" must be …`. */
export function parseFilter(filter: Filter): ParsedFilter {
  try {
    const conditions = new Parser().conditions(filter, 'filter', 1)
    // Checked last, because JSON.stringify would overflow the stack on a filter that is nested too deep.
    if (Buffer.byteLength(JSON.stringify(filter)) > FILTER_LIMITS.bytes)
      throw new Fault('filter', `must not be larger than ${FILTER_LIMITS.bytes} bytes as JSON`)
    return { ok: true, conditions }
  } catch (error) {
    if (error instanceof Fault) return { ok: false, reason: error.message }
    throw error
  }
}

/** A fault at a place of the filter. */
class Fault extends Error {
  constructor(place: string, what: string) {
    const shown = place.length > 120 ? `${place.slice(0, 60)}…${place.slice(-59)}` : place
    super(`"${shown}" ${what}`)
  }
}

const OPERATORS = '$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $regex and $not'

/** Walks a filter once, so the cost is linear in the size of the filter. */
class Parser {
  #patterns = 0
  #patternSize = 0

  conditions(value: unknown, place: string, depth: number): Condition[] {
    return this.#entries(value, place, depth).flatMap(([name, part]): Condition[] => {
      const at = `${place}.${name}`
      switch (name) {
        case '$and':
          return this.#list(part, at).flatMap((item, index) =>
            this.conditions(item, `${at}[${index}]`, depth + 1),
          )
        case '$or': {
          const alternatives = this.#list(part, at).map((item, index) =>
            this.conditions(item, `${at}[${index}]`, depth + 1),
          )
          return [{ kind: 'any', place: at, alternatives }]
        }
        case '$not':
          return [{ kind: 'not', place: at, conditions: this.conditions(part, at, depth + 1) }]
        default:
          checkPath(name, at)
          return this.#field(name, part, at, depth + 1)
      }
    })
  }

  /** The conditions for the value at a path. `{"$not": …}` means the same as a $not around the path. */
  #field(path: string, value: unknown, place: string, depth: number): Condition[] {
    const condition = (comparison: Comparison, at: string): FieldCondition => ({
      kind: 'field',
      place: at,
      path,
      ...comparison,
    })
    if (!isObject(value)) return [condition({ operator: '$eq', value: scalar(value, place) }, place)]
    return this.#entries(value, place, depth).map(([operator, part]) => {
      const at = `${place}.${operator}`
      if (operator !== '$not') return condition(this.#comparison(operator, part, at), at)
      if (!isObject(part)) throw new Fault(at, 'must be an object with operators, such as {"$eq": 1}')
      return { kind: 'not', place: at, conditions: this.#field(path, part, at, depth + 1) }
    })
  }

  #comparison(operator: string, value: unknown, place: string): Comparison {
    switch (operator) {
      case '$eq':
      case '$ne':
        return { operator, value: scalar(value, place) }
      case '$gt':
      case '$gte':
      case '$lt':
      case '$lte':
        if (typeof value !== 'number' && typeof value !== 'string')
          throw new Fault(place, 'must be a number or text')
        return { operator, value }
      case '$in':
      case '$nin':
        return {
          operator,
          value: this.#list(value, place).map((item, at) => scalar(item, `${place}[${at}]`)),
        }
      case '$exists':
        if (typeof value !== 'boolean') throw new Fault(place, 'must be true or false')
        return { operator, value }
      case '$regex':
        return this.#regex(value, place)
      default:
        throw new Fault(
          place,
          operator.startsWith('$')
            ? `is no operator of a field: they are ${OPERATORS}`
            : 'is inside another field: write both as one path with dots, such as "data.stage"',
        )
    }
  }

  #regex(value: unknown, place: string): Comparison {
    if (typeof value !== 'string' || value === '' || value.length > LONGEST_PATTERN)
      throw new Fault(place, `must be text of 1 to ${LONGEST_PATTERN} characters`)
    if (++this.#patterns > FILTER_LIMITS.patterns)
      throw new Fault(place, `is one too many: a filter may have ${FILTER_LIMITS.patterns} $regex`)
    const pattern = compilePattern(value, FILTER_LIMITS.patternSize - this.#patternSize)
    if ('size' in pattern) {
      this.#patternSize += pattern.size
      return { operator: '$regex', value, pattern }
    }
    if (pattern.kind === 'no_pattern') throw new Fault(place, `is no pattern of RE2: ${pattern.reason}`)
    throw new Fault(
      place,
      'is too complex: use shorter patterns, and fewer or smaller repetitions such as {1,20}',
    )
  }

  #entries(value: unknown, place: string, depth: number): [string, unknown][] {
    if (!isObject(value)) throw new Fault(place, 'must be an object')
    if (depth > FILTER_LIMITS.depth)
      throw new Fault(place, `is nested deeper than ${FILTER_LIMITS.depth} objects`)
    const entries = Object.entries(value)
    if (entries.length === 0)
      throw new Fault(place, place === 'filter' ? 'must not be {}: null removes it' : 'must not be {}')
    return entries
  }

  #list(value: unknown, place: string): unknown[] {
    if (Array.isArray(value) && value.length > 0 && value.length <= FILTER_LIMITS.listed) return value
    throw new Fault(place, `must be an array of 1 to ${FILTER_LIMITS.listed} entries`)
  }
}

const isObject = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function scalar(value: unknown, place: string): Scalar {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new Fault(place, 'must be text, a number, true, false or null')
}

/** A path begins at a root. Only `data` and `previous` have parts. Names that every object inherits are refused. */
function checkPath(path: string, place: string): void {
  const [root = '', ...rest] = path.split('.')
  if (root.startsWith('$')) throw new Fault(place, 'is no operator here: these are $and, $or and $not')
  if (!(FILTER_ROOTS as readonly string[]).includes(root))
    throw new Fault(place, `is no part of an event: a path begins with ${FILTER_ROOTS.join(', ')}`)
  const isWhole = root === 'event' || root === 'subject'
  if (isWhole && rest.length > 0) throw new Fault(place, `goes on behind "${root}", which is text`)
  if (rest.some((name) => name === '' || name in Object.prototype))
    throw new Fault(place, 'has an empty or reserved name in its path')
}
