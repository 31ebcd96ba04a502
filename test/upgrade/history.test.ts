import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { findHistory } from '../support/former-release.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'

describe('the source of the former release', () => {
  const dir = useTemporaryDirectory()
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: path.join(dir.path, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()

  // decision: Former release
  it('fails the tests where a clone on CI lacks it, and leaves them out elsewhere and in a source archive; the command of its message brings it', () => {
    git('.', 'init', 'origin')
    const commit = (text: string): string => {
      writeFileSync(path.join(dir.path, 'origin', 'file'), text)
      git('origin', 'add', '.')
      git('origin', 'commit', '-m', text)
      return git('origin', 'rev-parse', 'HEAD^{tree}')
    }
    const release = { tag: 'v0.1.0', tree: commit('released') }
    commit('after it')
    git('.', 'clone', '--depth', '1', `file://${dir.path}/origin`, 'clone')
    const kindIn = (folder: string, isCi: boolean) =>
      findHistory(path.join(dir.path, folder), release, { isCi }).kind
    const kinds = [kindIn('clone', true), kindIn('clone', false), kindIn('.', true)]
    expect(kinds).to.deep.equal(['missing', 'skipped', 'skipped'])
    git('clone', 'fetch', '--unshallow', '--tags')
    expect(kindIn('clone', true)).to.equal('there')
  })
})
