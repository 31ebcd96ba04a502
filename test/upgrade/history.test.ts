import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { findHistory, type Release } from '../support/former-release.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'

describe('the source of the former release', () => {
  const dir = useTemporaryDirectory('all tests')
  let origin: string
  let release: Release
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  const commit = (text: string): string => {
    writeFileSync(path.join(origin, 'file'), text)
    git(origin, 'add', '.')
    git(origin, 'commit', '-m', text)
    return git(origin, 'rev-parse', 'HEAD^{tree}')
  }
  const cloned = (name: string, ...options: string[]): string => {
    git(dir.path, 'clone', ...options, `file://${origin}`, name)
    return path.join(dir.path, name)
  }
  before(() => {
    origin = path.join(dir.path, 'origin')
    git(dir.path, 'init', origin)
    release = { tag: 'v0.1.0', tree: commit('released') }
    commit('after it')
  })

  // decision: Former release
  it('fails a shallow clone on CI, and skips it elsewhere, with the command that brings it, also without its tag', () => {
    const shallow = cloned('shallow', '--depth', '1')
    const [onCi, atHome] = [true, false].map((isCi) => findHistory(shallow, release, { isCi }))
    expect([onCi?.kind, atHome?.kind]).to.deep.equal(['missing', 'skipped'])
    for (const found of [onCi, atHome]) expect(found).to.have.property('message').include('--unshallow')
    git(shallow, 'fetch', '--unshallow', '--tags')
    expect(findHistory(shallow, release, { isCi: true })).to.deep.equal({ kind: 'there' })
  })

  it('fails a whole clone that never had it, and a tag that is something else', () => {
    const full = cloned('other')
    const unknown = { ...release, tree: '0'.repeat(40) }
    expect(findHistory(full, unknown, { isCi: false }).kind).to.equal('missing')
    git(full, 'tag', release.tag)
    const moved = findHistory(full, release, { isCi: false })
    expect(moved.kind).to.equal('missing')
    expect(moved).to.have.property('message').include('One of them is wrong')
    git(full, 'tag', '--force', release.tag, 'HEAD~1')
    expect(findHistory(full, release, { isCi: false })).to.deep.equal({ kind: 'there' })
  })

  it('is skipped in a source archive', () => {
    const found = findHistory(path.join(dir.path, 'nothing'), release, { isCi: true })
    expect(found).to.have.property('kind', 'skipped')
    expect(found).to.have.property('message').include('no git checkout')
  })
})
