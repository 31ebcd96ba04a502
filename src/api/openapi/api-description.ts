import { existsSync, readFileSync } from 'node:fs'
import type { AnyRoute } from '../routing/route.ts'
import { createDocument } from './document.ts'
import type { JsonSchema } from './json-schema.ts'

/** What `npm run build` writes: the document, made of the routes of this very build. */
const BUILT = new URL('../../openapi.json', import.meta.url)

/**
 * The document that describes the API. Making it takes a third of a second of a core, so every start reads what the build
 * made. Sources that run without a build make it anew.
 *
 * @param routes what it is made of without a build
 * @param publicUrl the address of this service, which no build knows
 */
export function describeApi(
  routes: readonly AnyRoute[],
  publicUrl: string,
  built: string | URL = BUILT,
): JsonSchema {
  if (!existsSync(built)) return createDocument(routes, publicUrl)
  const document = JSON.parse(readFileSync(built, 'utf8')) as JsonSchema
  return { ...document, servers: [{ url: publicUrl }] }
}
