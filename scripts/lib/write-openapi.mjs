// A step of the build: describes the API. An api then reads the description of its routes and makes none.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createDocument } from '../../src/api/openapi/document.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { readConfig } from '../../src/config/index.ts'
import { ROOT } from './paths.mjs'

// The description depends on no setting; these are the two that have no default.
const config = readConfig({
  DATABASE_URL: 'mysql://nobody@127.0.0.1/none',
  SECRETS_KEYS: `build:${Buffer.alloc(32).toString('base64')}`,
})
await writeFile(
  path.join(ROOT, 'dist/openapi.json'),
  JSON.stringify(createDocument(routeTable({ config }), '/')),
)
