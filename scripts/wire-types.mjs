// npm run wire-types: writes the types of what the console sends and gets, from the schemas of the api.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import { readConfig } from '../src/config/index.ts'
import { describeConsole } from '../src/console/description.ts'
import { ROOT } from './lib/paths.mjs'

/** Checked in; test/unit/web/sources.test.ts fails where it is stale. */
export const WIRE_TYPES = path.join(ROOT, 'web', 'src', 'common', 'api', 'wire.ts')

const HEAD = '// Written by `npm run wire-types`, of the schemas in src/: change those, and run it again.\n\n'

/** @returns {Promise<string>} the types of web/ as TypeScript, one for each schema that has a name */
export async function wireTypes() {
  // The schemas depend on no setting; these are the two that have no default.
  const config = readConfig({
    DATABASE_URL: 'mysql://nobody@127.0.0.1/none',
    SECRETS_KEYS: `build:${Buffer.alloc(32).toString('base64')}`,
  })
  const { components } = describeConsole({ config })
  const info = { title: 'Console', version: '1' }
  const output = await mkdtemp(path.join(tmpdir(), 'wire-types-'))
  try {
    await createClient({
      input: { openapi: '3.1.0', info, paths: {}, components: inShort(components) },
      output,
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    })
    return HEAD + typesOnly(await readFile(path.join(output, 'types.gen.ts'), 'utf8'))
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

/**
 * Leaves out the texts of /docs, which would make five lines of one, and the fields of bodies that change nothing. A property that
 * is called `description` stays: its value is an object.
 */
const inShort = (part) =>
  JSON.parse(JSON.stringify(part), (key, value) => {
    const isNote = key === 'description' && typeof value === 'string'
    return isNote || value?.readOnly === true || value?.writeOnly === true ? undefined : value
  })

/** Leaves out the types of a client, and makes lists read-only. */
const typesOnly = (text) =>
  text
    .slice(text.indexOf('export type', text.indexOf('ClientOptions')))
    .replaceAll(/\bArray</g, 'ReadonlyArray<')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(WIRE_TYPES, await wireTypes())
