import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { listTestFiles } from '../../scripts/test/suites.ts'
import { matches, readPages, ROOT } from './documents.ts'

/** A line above a test, or above a block of them, that says which decision it holds; more and other comments may follow. */
const MARK = /^[ \t]*\/\/ decision: (.+)$/gm
const MARKED = /(?:^[ \t]*\/\/ .+\n)*?^[ \t]*\/\/ decision: .+\n(?:^[ \t]*\/\/ .+\n)*(.*)$/gm

/** The headings of the entries: the bold text at their beginning, without a full stop. */
const headingsIn = (text: string): string[] =>
  matches(/^- \*\*((?:[^*]|\n)+?)\*\*/gm, text).map((heading) =>
    heading.replaceAll(/\s+/g, ' ').replace(/\.$/, ''),
  )

describe('docs/decisions', () => {
  const headings = headingsIn(readPages('docs/decisions'))
  const sources = listTestFiles().map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }))
  const marks = () =>
    sources.flatMap(({ file, text }) => matches(MARK, text).map((heading) => ({ file, heading })))

  it('has a heading of its own for every entry, a test for every entry, and an entry for every mark of a test', () => {
    expect(headings).to.have.length.above(100)
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).to.deep.equal([])
    const held = new Set(marks().map(({ heading }) => heading))
    expect(headings.filter((heading) => !held.has(heading))).to.deep.equal([])
    const unknown = marks().filter(({ heading }) => !headings.includes(heading))
    expect(unknown).to.deep.equal([])
  })

  it('is held by tests: each mark stands right above one', () => {
    const astray = sources.flatMap(({ file, text }) =>
      matches(MARKED, text)
        .filter((line) => !/^\s*(it|describe)\(/.test(line))
        .map((line) => `${file}: ${line}`),
    )
    expect(astray).to.deep.equal([])
  })
})
