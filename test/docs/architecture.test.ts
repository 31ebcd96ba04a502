import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { matches, readDocument, ROOT } from './documents.js'

/** The table of the document: what each room may import, type-only imports left out. */
function drawnArrows(text: string): Record<string, string[]> {
  const section = text.slice(text.indexOf('## The arrows'), text.indexOf('## Flow 1'))
  const rows = section.matchAll(/^\| `(\w+)`\s*\|(.*)\|$/gm)
  return Object.fromEntries(
    [...rows].map(([, room = '', cell = '']) => [
      room,
      matches(/`([^`]+)`/g, cell.replace(/types of `\w+`/, '')).sort(),
    ]),
  )
}

/** ARROWS of eslint.config.js, in the words of the document. */
function enforcedArrows(): Record<string, string[]> {
  const config = readFileSync(path.join(ROOT, 'eslint.config.js'), 'utf8')
  const [, table = ''] = /const ARROWS = \{([\s\S]*?)\n\}/.exec(config) ?? []
  const words: Record<string, string> = { system: 'db/system', contract: 'workflows/contract' }
  return Object.fromEntries(
    [...table.matchAll(/(\w+): \[(.*)\]/g)].map(([, room = '', list = '']) => [
      room,
      matches(/'(\w+)'/g, list)
        .map((name) => words[name] ?? name)
        .sort(),
    ]),
  )
}

describe('docs/architecture.md', () => {
  const { text } = readDocument('docs/architecture.md')

  it('draws the arrows that ESLint enforces', () => {
    expect(Object.keys(enforcedArrows())).to.have.length.above(5)
    expect(drawnArrows(text)).to.deep.equal(enforcedArrows())
  })

  it('shows a tree whose files and folders exist', () => {
    const [, tree = ''] = /```\n(src\/[\s\S]*?)```/.exec(text) ?? []
    const names = matches(/^(\S+)/gm, tree)
    expect(names).to.have.length.above(10)
    expect(names.filter((name) => !existsSync(path.join(ROOT, name)))).to.deep.equal([])
  })

  it('is one page', () => {
    expect(text.split('\n')).to.have.length.below(120)
  })
})
