import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { codeSpans, linkTargets, matches, readDocuments, ROOT, type Document } from './documents.ts'

/** As GitHub makes anchors of headings. */
const anchorsOf = (text: string): string[] =>
  matches(/^#+ (.+)$/gm, text).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

function isBroken({ file }: Document, target: string): boolean {
  const [name = '', anchor] = target.split('#')
  const absolute = name === '' ? path.join(ROOT, file) : path.join(ROOT, path.dirname(file), name)
  if (!existsSync(absolute)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(absolute, 'utf8')).includes(anchor)
}

/** A file of the checkout, written from its root or, as code is mostly named, from src/ or test/. */
const FILE_NAME = /^[\w.-]+(\/[\w.-]+)*\.(ts|mjs|cjs|js|json|yml|md)$/
/** Names of files that a command makes. */
const MADE = /^(dist|\.data)\//

describe('the documents', () => {
  for (const document of readDocuments()) {
    it(`${document.file}: links lead to files and headings that exist`, () => {
      const targets = linkTargets(document).filter((target) => !/^(https?:|mailto:)/.test(target))
      expect(targets.filter((target) => isBroken(document, target))).to.deep.equal([])
    })

    it(`${document.file}: files named in passing exist`, () => {
      const names = codeSpans(document).filter((span) => FILE_NAME.test(span) && !MADE.test(span))
      const places = ['', 'src', 'test', path.dirname(document.file)]
      const missing = names.filter(
        (name) => !places.some((place) => existsSync(path.join(ROOT, place, name))),
      )
      expect(missing).to.deep.equal([])
    })
  }
})
