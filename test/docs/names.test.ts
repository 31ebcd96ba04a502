import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { variables } from '../../src/config/variables.ts'
import { CONSOLE_ERROR_STATUS, ERROR_STATUS } from '../../src/domain/errors.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
import { codeSpans, fencedBlocks, matches, readDocument, readDocuments, ROOT } from './documents.ts'

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

/** What a document writes as code, spans and blocks. */
const codeOf = (document: ReturnType<typeof readDocument>): string =>
  [...codeSpans(document), ...fencedBlocks(document)].join('\n')

const SETTINGS = new Set([
  ...Object.keys((variables.describe() as { keys: object }).keys),
  ...matches(/^#([A-Z0-9_]+)=/gm, read('.env.example')),
  // Read by npm test alone.
  'TEST_DATABASE_URL',
  // Read by npm run dev alone.
  'API_URL',
  // Read by glibc.
  'MALLOC_ARENA_MAX',
])

describe('names in the documents', () => {
  for (const document of readDocuments()) {
    it(`${document.file}: npm scripts exist`, () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
      const named = matches(/\bnpm run (?:--silent )?([\w:-]+)/g, document.text)
      expect(named.filter((name) => !(name in scripts))).to.deep.equal([])
    })

    it(`${document.file}: settings and error codes exist`, () => {
      const named = matches(/(?<![\w%])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?!\w)/g, codeOf(document))
      const codes = { ...ERROR_STATUS, ...CONSOLE_ERROR_STATUS }
      const unknown = named.filter((name) => !SETTINGS.has(name) && !(name in codes))
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

  it('docs/operating.md: metrics are those of the processes', async () => {
    const metrics = await createMetrics().registry.getMetricsAsJSON()
    const isOurs = (name: string) => /^(http_|api_key_|webhook_|notices?_|console_)/.test(name)
    const ours = metrics.map(({ name }) => name).filter(isOurs)
    const sections = readDocument('docs/operating.md').text.split('\n## ')
    const section = sections.find((text) => text.startsWith('Health and metrics\n')) ?? ''
    const table = matches(/^\| `(\w+)` /gm, section)
    expect(table.filter(isOurs)).to.have.members(ours)
  })

  it('docs/operating.md: filters use workflow types and search attributes that exist', () => {
    const { text } = readDocument('docs/operating.md')
    const types = matches(/WorkflowType="(\w+)"/g, text)
    expect(types).to.include.members(Object.values(WORKFLOW_TYPES))
    expect(types.filter((type) => !(type in WORKFLOW_TYPES))).to.deep.equal([])
    const attributes = new Set(matches(/\b([A-Z][A-Za-z]+)(?:=| > )"/g, text))
    const builtIn = ['WorkflowType', 'WorkflowId', 'ExecutionStatus', 'StartTime']
    expect([...attributes]).to.have.members([...builtIn, ...SEARCH_ATTRIBUTES])
  })
})
