import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'

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
