import { expect } from 'chai'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ARROWS } from '../../scripts/lib/arrows.mjs'
import { matches, readDocument, ROOT } from './documents.ts'

/** The table of the document: what each room may import. */
function drawnArrows(text: string): Record<string, string[]> {
  const section = text.slice(text.indexOf('## The arrows'), text.indexOf('## Flow 1'))
  const rows = section.matchAll(/^\| `([^`]+)`\s*\|(.*)\|$/gm)
  return Object.fromEntries(
    [...rows].map(([, room = '', cell = '']) => [
      room,
      cell
        .split(',')
        .map((name) => name.replaceAll('`', '').trim())
        .filter((name) => name !== '')
        .sort(),
    ]),
  )
}

const enforcedArrows = () =>
  Object.fromEntries(Object.entries(ARROWS).map(([room, names]) => [room, [...names].sort()]))

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

  it('can be read in a quarter of an hour', () => {
    expect(text.split('\n')).to.have.length.below(175)
  })
})
