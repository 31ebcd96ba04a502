import { expect } from 'chai'
import { existsSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { readDocument, ROOT } from './documents.js'

/** A test that a decision names: its file, relative to the checkout, and its name. */
type NamedTest = { readonly file: string; readonly name: string }

/** Reads `[file](../test/file) "name", "name"` wherever it stands. */
function namedTests(text: string): NamedTest[] {
  const flat = text.replaceAll(/\s+/g, ' ')
  return [...flat.matchAll(/\]\(\.\.\/(test\/[^)]+\.ts)\)((?:,? "[^"]+")+)/g)].flatMap(
    ([, file = '', names = '']) => [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
  )
}

/** Patterns of the names that a test file gives to its tests; `${…}` in a name stands for any text. */
function testPatterns(file: string): RegExp[] {
  const source = ts.createSourceFile(
    file,
    ts.sys.readFile(path.join(ROOT, file)) ?? '',
    ts.ScriptTarget.ES2023,
  )
  const patterns: RegExp[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'it') {
      const pattern = namePattern(node.arguments[0])
      if (pattern !== undefined) patterns.push(new RegExp(`^${pattern}$`))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return patterns
}

function namePattern(name: ts.Expression | undefined): string | undefined {
  if (!name) return undefined
  if (ts.isStringLiteralLike(name)) return escape(name.text)
  if (!ts.isTemplateExpression(name)) return undefined
  const rest = name.templateSpans.map(({ literal }) => `.+${escape(literal.text)}`)
  return escape(name.head.text) + rest.join('')
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const isThere = ({ file, name }: NamedTest): boolean =>
  existsSync(path.join(ROOT, file)) && testPatterns(file).some((pattern) => pattern.test(name))

describe('docs/decisions.md', () => {
  const { text } = readDocument('docs/decisions.md')

  it('names tests that exist', () => {
    const missing = namedTests(text).filter((test) => !isThere(test))
    expect(missing.map(({ file, name }) => `${file}: ${name}`)).to.deep.equal([])
  })

  it('names a test wherever it says that one holds a decision', () => {
    const flat = text.replaceAll(/\s+/g, ' ')
    expect(flat.match(/Held by (?!\[[^\]]+\]\(\.\.\/test\/[^)]+\.ts\) ")/g) ?? []).to.deep.equal([])
    expect(namedTests(text)).to.have.length.above(50)
  })
})
