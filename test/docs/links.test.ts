import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as documents from './documents.ts'
import { ARROWS } from '../../lint/arrows.mjs'

/** A file of the checkout, written from its root or, as for most code, from src/ or test/. */
const FILE_NAME = /^[\w.-]+(\/[\w.-]+)*\.(ts|mjs|cjs|js|json|yml|md)$/
/** Names of files that commands generate. */
const MADE = /^(dist|\.data)\//

describe('the documents', () => {
  for (const document of documents.readDocuments())
    it(`${document.file}: links lead to files and headings that exist, and files named in passing exist`, () => {
      const targets = documents.linkTargets(document).filter((target) => !/^(https?:|mailto:)/.test(target))
      expect(targets.filter((target) => documents.isBroken(document, target))).to.deep.equal([])
      const names = documents.codeSpans(document).filter((span) => FILE_NAME.test(span) && !MADE.test(span))
      const places = ['', 'src', 'test', path.dirname(document.file)]
      const missing = names.filter(
        (name) => !places.some((place) => existsSync(path.join(documents.ROOT, place, name))),
      )
      expect(missing).to.deep.equal([])
    })
})

/** Papers that a reader of the repository does not have. */
const ELSEWHERE = /(design|spec) section|design\.md|(?<![\w.-])(shared|notes)\//i
/** This file contains the pattern itself. */
const HERE = 'test/docs/links.test.ts'

const FOLDERS = ['src', 'soak', 'test', 'scripts', 'deploy', 'docs']
const TEXT = /\.(ts|mjs|js|md|yml|yaml|json|http|sh)$/

function textFiles(): string[] {
  const top = readdirSync(documents.ROOT).filter((name) => TEXT.test(name) && name !== 'package-lock.json')
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(documents.ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => TEXT.test(name))
      .map((name) => path.join(folder, name)),
  )
  return [...top, ...below].filter((file) => file !== HERE)
}

describe('comments and documents', () => {
  it('cite no paper that is not in the repository', () => {
    const citing = textFiles().flatMap((file) =>
      readFileSync(path.join(documents.ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (ELSEWHERE.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    )
    expect(citing).to.deep.equal([])
  })
})

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

describe('docs/architecture.md', () => {
  const { text } = documents.readDocument('docs/architecture.md')

  it('draws the arrows that the lint enforces', () => {
    const enforced = Object.entries(ARROWS).map(([room, names]) => [room, [...names].sort()])
    expect(enforced).to.have.length.above(5)
    expect(drawnArrows(text)).to.deep.equal(Object.fromEntries(enforced))
  })

  it('shows a tree whose files and folders exist, and can be read in a quarter of an hour', () => {
    const [, tree = ''] = /```\n(src\/[\s\S]*?)```/.exec(text) ?? []
    const names = documents.matches(/^(\S+)/gm, tree)
    expect(names).to.have.length.above(10)
    expect(names.filter((name) => !existsSync(path.join(documents.ROOT, name)))).to.deep.equal([])
    expect(text.split('\n')).to.have.length.below(175)
  })
})
