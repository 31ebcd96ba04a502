import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Json } from '../support/tenants.ts'

/** docker-compose.yml before interpolation. */
export const composeText = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8')

type Variables = Readonly<Record<string, string>>

/** Returns the file after compose has filled in these variables. @throws Error when a required variable is not set */
export function readCompose(variables: Variables): { readonly services: Readonly<Record<string, Json>> } {
  return interpolate(parse(composeText, { merge: true }), variables) as Json
}

/**
 * Fills in `${A:?why}`, `${A:-default}`, `${A}` and `$$` in every value, after the YAML is read, as the Compose
 * specification says (chapter Interpolation).
 */
function interpolate(node: unknown, variables: Variables): unknown {
  if (Array.isArray(node)) return node.map((item) => interpolate(item, variables))
  if (typeof node === 'object' && node !== null) {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, interpolate(value, variables)]),
    )
  }
  if (typeof node !== 'string') return node
  const placeholder = /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g
  return node.replace(
    placeholder,
    (_whole, name: string | undefined, operator: string | undefined, operand = '') => {
      if (name === undefined) return '$'
      const value = variables[name] ?? ''
      if (value === '' && operator === '?') throw new Error(`${name}: ${String(operand)}`)
      return value === '' && operator === '-' ? String(operand) : value
    },
  )
}

/** The variables that compose requires to start. */
export const REQUIRED = [...new Set([...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!))]
