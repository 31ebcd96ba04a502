import { createRequire } from 'node:module'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { COMPILER } from '../../../../scripts/lib/paths.mjs'
import { eventFiles, schemaPath } from '../../../../src/api/openapi/event-schemas.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { EVENT_CATALOG } from '../../../../src/domain/event/catalog.ts'

const require = createRequire(import.meta.url)
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }

describe('what receivers generate code of', () => {
  const { schemas, declarations } = eventFiles('https://api.example.com')
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true } })
  const dir = useTemporaryDirectory()
  const isValid = (type: string, event: object) => ajv.validate(schemas.get(schemaPath(type))!, event)

  for (const { name, example } of EVENT_CATALOG) {
    // decision: Types for receivers
    it(`has a schema of ${name} that takes its example, and no other type or shape`, () => {
      const $id = `https://api.example.com/event-types/${name}.schema.json`
      expect(schemas.get(schemaPath(name))).to.include({ $id })
      expect(isValid(name, { ...example, more: 1 })).to.equal(true)
      const { data, ...others } = example as { data: object }
      const wrongData = [{ custom: null }, { id: 7 }].map((part) => ({ data: { ...data, ...part } }))
      for (const part of [{ event: 'contact.exploded' }, { revision: 0 }, { subject: 7 }, ...wrongData])
        expect(isValid(name, { ...others, data, ...part })).to.equal(false)
      const mustTell = /updated|stage_changed/.test(name)
      expect(isValid(name, { ...example, previous: undefined })).to.equal(!mustTell)
    })
  }

  it('has declarations that compile, and that tell the events apart by their type', async function () {
    this.timeout(60_000)
    const examples = EVENT_CATALOG.map(({ example }) => JSON.stringify(example))
    const use = '(e: SalesDataEvent) => e.event === "deal.stage_changed" && e.previous'
    const program = [
      "import type { SalesDataEvent } from './index.d.ts'",
      `export const all: SalesDataEvent[] = [${examples.join()}]`,
      `export const uses = [${use}.stage,`,
      `  ${use}.email]`,
    ]
    await writeFile(path.join(dir.path, 'index.d.ts'), declarations)
    await writeFile(path.join(dir.path, 'use.ts'), program.join('\n'))
    const args = [COMPILER, '--strict', '--noEmit', '--target', 'es2022', 'use.ts']
    const { stdout } = await execa('node', args, { cwd: dir.path, reject: false })
    expect(stdout).to.match(/^use\.ts\(4,\d+\): error TS2339: Property 'email'.*$/)
  })
})
