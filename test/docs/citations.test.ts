import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './documents.ts'

/** Papers that a reader of the repository does not have. The pattern is in parts, so that it does not find itself. */
const ELSEWHERE = new RegExp(
  [
    ['design', ' section'],
    ['design', '\\.md'],
    ['(?<![\\w.-])shared', '/'],
    ['(?<![\\w.-])notes', '/'],
    ['spec', ' section'],
  ]
    .map((parts) => parts.join(''))
    .join('|'),
  'i',
)

const FOLDERS = ['src', 'test', 'scripts', 'deploy', 'docs']
const TEXT = /\.(ts|mjs|js|md|yml|yaml|json|http|sh)$/

function textFiles(): string[] {
  const top = readdirSync(ROOT).filter((name) => TEXT.test(name) && name !== 'package-lock.json')
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => TEXT.test(name))
      .map((name) => path.join(folder, name)),
  )
  return [...top, ...below]
}

describe('comments and documents', () => {
  it('cite no paper that is not in the repository', () => {
    const citing = textFiles().flatMap((file) =>
      readFileSync(path.join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (ELSEWHERE.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    )
    expect(citing).to.deep.equal([])
  })
})
