import type { NativeConnection } from '@temporalio/worker'
import { SEARCH_ATTRIBUTES, type SearchAttribute } from '../../workflows/contract.ts'
import { ALREADY_EXISTS, hasCode, INVALID_ARGUMENT, isRefused } from './errors.ts'

type Place = { readonly connection: NativeConnection; readonly namespace: string }

const INDEXED_VALUE_TYPE_KEYWORD = 2

/** Registers the search attributes that Temporal lacks. @returns those that are there, also where it refuses to register any */
export async function registerSearchAttributes(place: Place): Promise<readonly SearchAttribute[]> {
  try {
    await registerMissing(place)
    return SEARCH_ATTRIBUTES
  } catch (error) {
    if (!isRefused(error)) throw error
    const checks = SEARCH_ATTRIBUTES.map(async (name) =>
      (await canQuery(place, `${name} = 'x'`)) ? [name] : [],
    )
    return (await Promise.all(checks)).flat()
  }
}

async function registerMissing({ connection: { operatorService }, namespace }: Place): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
  const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes))
  if (missing.length === 0) return
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD]))
  try {
    await operatorService.addSearchAttributes({ namespace, searchAttributes })
  } catch (error) {
    // Another worker registered them first.
    if (!hasCode(error, ALREADY_EXISTS)) throw error
  }
}

/** Whether Temporal accepts the query: it refuses one with an attribute that it does not know. */
async function canQuery({ connection, namespace }: Place, query: string): Promise<boolean> {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query })
    return true
  } catch (error) {
    if (hasCode(error, INVALID_ARGUMENT) || isRefused(error)) return false
    throw error
  }
}
