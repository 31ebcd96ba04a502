import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../../scripts/lib/paths.mjs'

const SOURCE = path.join(process.cwd(), 'web', 'src')

/** Whatever turns a text into elements, beside React, which writes texts as texts. */
const FROM_TEXT = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc/i

describe('texts of others in the console', () => {
  it('are never turned into elements: answers of endpoints, header values and names stay texts', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    )
    expect(files).to.have.length.above(50)
    const turning = files.filter((file) => FROM_TEXT.test(readFileSync(path.join(SOURCE, file), 'utf8')))
    expect(turning).to.deep.equal([])
  })
})

/** A colour by its numbers. */
const COLOR = /#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i

describe('the colours of the console', () => {
  it('are those of the theme: no other file has one', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    const styled = files.filter((file) => file.endsWith('.css') || file.endsWith('.tsx'))
    expect(styled).to.have.length.above(50)
    expect(styled.filter((file) => COLOR.test(readFileSync(path.join(SOURCE, file), 'utf8')))).to.deep.equal(
      [],
    )
  })
})

const MANTINE = path.join(ROOT, 'node_modules', '@mantine', 'core')

const read = (...file: string[]): string => readFileSync(path.join(...file), 'utf8')

describe('the styles of the console', () => {
  it("come in Mantine's own order, so that a link in a text keeps its line", () => {
    const all = read(MANTINE, 'styles.css')
    const imported = read(ROOT, 'web', 'src', 'mantine-styles.ts')
    const names = [...imported.matchAll(/core\/styles\/([A-Z]\w+)\.css/g)].map(([, name]) => name!)
    const places = names.map((name) => {
      const [firstClass = ''] = /\.m_[0-9a-f]+/.exec(read(MANTINE, 'styles', `${name}.css`)) ?? []
      return all.indexOf(firstClass)
    })
    expect(places).to.have.length.above(10)
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b))
  })
})
