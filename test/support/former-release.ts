import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { buildRelease } from './release-build.ts'

/**
 * A release as git knows it: its tag, and the id of its tree (`git rev-parse v0.1.0^{tree}`). The id names exactly these
 * files, also where the tag did not travel with the clone or somebody rewrote the commits around them.
 */
export type Release = { readonly tag: string; readonly tree: string }

/** The latest release. Every migration since must let it run on the new schema; cutting a release changes this line. */
export const FORMER_RELEASE: Release = { tag: 'v0.1.0', tree: '129ce1739978a479d841a3bd2ce3481db2c2837e' }

/** Whether the source of a release is `there`. Else tests of it are `skipped`, or fail where it may not be `missing`. */
export type History = {
  readonly kind: 'there' | 'skipped' | 'missing'
  /** What is not there, and the command that brings it. */
  readonly message: string
}

/**
 * Looks for the files of a release in the git history of a checkout.
 *
 * @param root the checkout, or the folder of a source archive, which has no history
 * @param isCi on a CI server nothing that belongs to a checkout may be missing
 */
export function findHistory(root: string, { tag, tree }: Release, { isCi }: { isCi: boolean }): History {
  const isThere = spawnSync('git', ['cat-file', '-e', `${tree}^{tree}`], { cwd: root }).status === 0
  const isExpected = isCi && existsSync(path.join(root, '.git'))
  const message = `This is no clone that holds the source of ${tag} (tree ${tree}). In a shallow one run: git fetch --unshallow --tags`
  return { kind: isThere ? 'there' : isExpected ? 'missing' : 'skipped', message }
}

/** The first build of a release also installs its packages, when they are not ours. */
const BUILD_WITHIN_MS = 600_000

/**
 * Describes tests that run the former release. Where its source cannot be had they are left out with a line on stderr
 * (nobody reads a test that says "skipped"), or fail where it must be there.
 *
 * @param define gets a function that gives the folder of the built release, inside tests and hooks
 */
export function describeFormerRelease(title: string, define: (builtDir: () => string) => void): void {
  const history = findHistory(ROOT, FORMER_RELEASE, { isCi: process.env['CI'] === 'true' })
  if (history.kind === 'skipped') {
    process.stderr.write(`\n!!! NOT TESTED: ${title}\n!!! ${history.message}\n\n`)
    return
  }
  describe(title, function () {
    this.timeout(120_000)
    let dir: string | undefined
    before(async function () {
      this.timeout(BUILD_WITHIN_MS)
      if (history.kind === 'missing') throw new Error(history.message)
      dir = await buildRelease(FORMER_RELEASE)
    })
    define(() => {
      if (dir === undefined) throw new Error('the release is there inside tests and hooks only')
      return dir
    })
  })
}
