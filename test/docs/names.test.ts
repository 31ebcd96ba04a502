import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { variables } from '../../src/config/variables.ts'
import { CONSOLE_ERROR_STATUS, ERROR_STATUS } from '../../src/domain/errors.ts'
import { createMetrics } from '../../src/deps/metrics.ts'
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
import * as documents from './documents.ts'
import { NOTICE_KINDS, TENANT_NOTICES } from '../../src/domain/notice/notice.ts'
import { readConfig } from '../../src/config/index.ts'

const read = (file: string): string => readFileSync(path.join(documents.ROOT, file), 'utf8')

/** The code of a document, in spans and blocks. */
const codeOf = (document: ReturnType<typeof documents.readDocument>): string =>
  [...documents.codeSpans(document), ...documents.fencedBlocks(document)].join('\n')

const SETTINGS = new Set([
  ...Object.keys((variables.describe() as { keys: object }).keys),
  ...documents.matches(/^#([A-Z0-9_]+)=/gm, read('.env.example')),
  // Only npm test reads it.
  'TEST_DATABASE_URL',
  // Only npm run dev reads it.
  'API_URL',
  // Node reads it.
  'NODE_EXTRA_CA_CERTS',
  // glibc reads it.
  'MALLOC_ARENA_MAX',
])

describe('the index of the helpers of tests', () => {
  it('has a line for each', () => {
    const listed = documents.matches(/^- \[[\w.-]+\]\(([\w.-]+)\): \w/gm, read('test/support/README.md'))
    const helpers = readdirSync(path.join(documents.ROOT, 'test/support')).filter((name) =>
      name.endsWith('.ts'),
    )
    expect(listed).to.deep.equal(helpers.sort())
  })
})

describe('names in the documents', () => {
  for (const document of documents.readDocuments()) {
    it(`${document.file}: npm scripts, settings and error codes exist`, () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
      const run = documents.matches(/\bnpm run (?:--silent )?([\w:-]+)/g, document.text)
      expect(run.filter((name) => !(name in scripts))).to.deep.equal([])
      const named = documents.matches(/(?<![\w%])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?!\w)/g, codeOf(document))
      const codes = { ...ERROR_STATUS, ...CONSOLE_ERROR_STATUS }
      const isSetting = (name: string) => SETTINGS.has(name) || SETTINGS.has(name.replace(/_FILE$/, ''))
      const unknown = named.filter((name) => !isSetting(name) && !(name in codes))
      expect(unknown).to.deep.equal([])
    })

    it(`${document.file}: commands of the command line are understood`, () => {
      const lines = codeOf(document).matchAll(/(?:--silent cli --|dist\/cli\.js) (.+)/g)
      for (const [, line = ''] of lines) {
        const args = line
          .replace(/\s+#.*$/, '')
          .trim()
          .split(/\s+/)
        expect(parseCommandLine(COMMANDS, args).kind, line).to.equal('run')
      }
    })
  }

  it('docs/operating: metrics are those of the processes', async () => {
    const metrics = await createMetrics().registry.getMetricsAsJSON()
    const isOurs = (name: string) => /^(http_|api_key_|webhook_|notices?_|console_)/.test(name)
    const ours = metrics.map(({ name }) => name).filter(isOurs)
    const sections = documents.readPages('docs/operating').split('\n## ')
    const section = sections.find((text) => text.startsWith('Health and metrics\n')) ?? ''
    const table = documents.matches(/^\| `(\w+)` /gm, section)
    expect(table.filter(isOurs)).to.have.members(ours)
  })

  it('docs/operating: filters use workflow types and search attributes that exist', () => {
    const text = documents.readPages('docs/operating')
    const types = documents.matches(/WorkflowType="(\w+)"/g, text)
    expect(types).to.include.members(Object.values(WORKFLOW_TYPES))
    expect(types.filter((type) => !(type in WORKFLOW_TYPES))).to.deep.equal([])
    const attributes = new Set(documents.matches(/\b([A-Z][A-Za-z]+)(?:=| > )"/g, text))
    const builtIn = ['WorkflowType', 'WorkflowId', 'ExecutionStatus', 'StartTime']
    expect([...attributes]).to.have.members([...builtIn, ...SEARCH_ATTRIBUTES])
  })
})

/** The first cells of the table under the heading. */
function kindsIn(text: string): string[] {
  const section = text.split('\n## Notices\n')[1]?.split('\n## ')[0] ?? ''
  return documents.matches(/^\| `(\w+)` /gm, section)
}

describe('the kinds of notices', () => {
  it('are in docs/operating, all of them, and in docs/api-clients.md without those for the operator', () => {
    expect(kindsIn(documents.readPages('docs/operating'))).to.deep.equal([...NOTICE_KINDS])
    expect(kindsIn(documents.readDocument('docs/api-clients.md').text)).to.deep.equal([...TENANT_NOTICES])
  })
})

const REQUIRED = {
  DATABASE_URL: 'mysql://user:password@127.0.0.1:3306/sales_data',
  SECRETS_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
}

type Described = { keys: Record<string, { flags?: { default?: unknown } }> }

/** Names and texts of the variables for which .env.example shows a default. */
function shownDefaults(): [string, string][] {
  const { keys } = variables.describe() as Described
  return [...read('.env.example').matchAll(/^#([A-Z0-9_]+)=(.+)$/gm)]
    .map(([, name = '', value = '']): [string, string] => [name, value])
    .filter(([name]) => keys[name]?.flags?.default !== undefined)
}

describe('.env.example', () => {
  it('shows the defaults that hold', () => {
    const unset = readConfig(REQUIRED)
    expect(shownDefaults()).to.have.length.above(10)
    for (const [name, value] of shownDefaults())
      expect(readConfig({ ...REQUIRED, [name]: value }), name).to.deep.equal(unset)
  })
})
