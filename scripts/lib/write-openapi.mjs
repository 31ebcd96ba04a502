// Run by build.mjs: node write-openapi.mjs <output>. An api then reads the description of its routes and makes none.
import { writeFile } from 'node:fs/promises'
import { createDocument } from '../../src/api/openapi/document.ts'
import { routeTable } from '../../src/api/routes/index.ts'
import { readConfig } from '../../src/config/index.ts'

const [output = ''] = process.argv.slice(2)
// The description depends on no setting; these are the two that have no default.
const config = readConfig({
  DATABASE_URL: 'mysql://nobody@127.0.0.1/none',
  SECRETS_KEYS: `build:${Buffer.alloc(32).toString('base64')}`,
})
await writeFile(output, JSON.stringify(createDocument(routeTable({ config }), '/')))
