import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../../scripts/lib/paths.mjs'
import { WIRE_TYPES, wireTypes } from '../../../scripts/wire-types.mjs'

const SOURCE = path.join(ROOT, 'web', 'src')
const MANTINE = path.join(ROOT, 'node_modules', '@mantine', 'core')
const read = (...file: string[]): string => readFileSync(path.join(...file), 'utf8')

/** The source files with matching names and matching text. */
function sourcesWith(text: RegExp, names: RegExp): string[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => names.test(file))
  expect(files).to.have.length.above(50)
  return files.filter((file) => text.test(read(SOURCE, file)))
}

describe('the sources of the console', () => {
  it('never turn texts of others into elements: answers of endpoints, header values and names stay texts', () => {
    // These APIs turn text into elements. React inserts text as text.
    const fromText =
      /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc/i
    expect(sourcesWith(fromText, /\.tsx?$/)).to.deep.equal([])
  })

  it('have the colours of the theme: no other file has one', () =>
    expect(sourcesWith(/#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i, /\.(css|tsx)$/)).to.deep.equal([]))

  // decision: Types of the console's wire
  it('have the types of what the console sends and gets from the schemas', async () =>
    expect(read(WIRE_TYPES), 'npm run wire-types writes them').to.equal(await wireTypes()))

  it("import styles in Mantine's own order, so that a link in a text keeps its line", () => {
    const all = read(MANTINE, 'styles.css')
    const imported = read(SOURCE, 'mantine-styles.ts')
    const names = [...imported.matchAll(/core\/styles\/([A-Z]\w+)\.css/g)].map(([, name]) => name!)
    const places = names.map((name) => {
      const [firstClass = ''] = /\.m_[0-9a-f]+/.exec(read(MANTINE, 'styles', `${name}.css`)) ?? []
      return all.indexOf(firstClass)
    })
    expect(places).to.have.length.above(10)
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b))
  })
})
