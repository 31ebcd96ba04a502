import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * A release as git knows it: its tag, and the id of its tree (`git rev-parse v0.1.0^{tree}`). The id names exactly these
 * files, also where the tag did not travel with the clone or somebody rewrote the commits around them.
 */
export type Release = { readonly tag: string; readonly tree: string }

/** The latest release. Every migration since must let it run on the new schema; cutting a release changes this line. */
export const FORMER_RELEASE: Release = { tag: 'v0.1.0', tree: '129ce1739978a479d841a3bd2ce3481db2c2837e' }

/**
 * Whether the source of a release can be had: `there`; `skipped` where nobody can expect it; or `missing`, which is a
 * failure. The message says why and which command brings it.
 */
export type History =
  | { readonly kind: 'there' }
  | { readonly kind: 'skipped' | 'missing'; readonly message: string }

/**
 * Looks for the files of a release in the git history of a checkout.
 *
 * @param root the checkout
 * @param isCi on a CI server nothing that belongs to a checkout may be missing
 */
export function findHistory(root: string, { tag, tree }: Release, { isCi }: { isCi: boolean }): History {
  if (!existsSync(path.join(root, '.git'))) {
    return {
      kind: 'skipped',
      message: `The source of ${tag} is in the git history only, and this is no git checkout. Clone the repository.`,
    }
  }
  const shallow = git(root, ['rev-parse', '--is-shallow-repository'])
  if (shallow.status !== 0) {
    return {
      kind: isCi ? 'missing' : 'skipped',
      message: `git does not read this checkout: ${shallow.output}`,
    }
  }
  const tagged = git(root, ['rev-parse', '--verify', '--quiet', `${tag}^{tree}`])
  if (tagged.status === 0 && tagged.output !== tree) {
    const message = `The tag ${tag} has the tree ${tagged.output}, and FORMER_RELEASE says ${tree}. One of them is wrong.`
    return { kind: 'missing', message }
  }
  if (git(root, ['cat-file', '-e', `${tree}^{tree}`]).status === 0) return { kind: 'there' }
  const isShallow = shallow.output === 'true'
  const mend = isShallow ? 'git fetch --unshallow --tags' : 'git fetch --tags'
  return {
    kind: isShallow && !isCi ? 'skipped' : 'missing',
    message: `This ${isShallow ? 'shallow ' : ''}clone does not hold the source of ${tag} (tree ${tree}). Run: ${mend}`,
  }
}

function git(root: string, args: readonly string[]): { status: number; output: string } {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (error) return { status: 127, output: error.message }
  return { status: status ?? 1, output: (stdout || stderr).trim() }
}
