import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from '../../scripts/lib/commands.ts'
import { cacheDir, ROOT } from '../../scripts/lib/paths.mjs'
import { makeOnce } from './make-once.ts'

/**
 * A release in git: its tag, and the id of its tree (`git rev-parse v0.1.0^{tree}`). The id names exactly these files,
 * even where a clone lacks the tag or somebody rewrote the commits around them.
 */
export type Release = { readonly tag: string; readonly tree: string }

/** The latest release. It must run on the schema of every later migration. Cutting a release changes this line. */
export const FORMER_RELEASE: Release = { tag: 'v0.1.0', tree: '129ce1739978a479d841a3bd2ce3481db2c2837e' }

/** Whether a release's source is `there`. Otherwise its tests are `skipped`, or they fail on CI (`missing`). */
export type History = {
  readonly kind: 'there' | 'skipped' | 'missing'
  /** What the checkout lacks, and the command that fetches it. */
  readonly message: string
}

/**
 * Looks for the files of a release in the git history of a checkout.
 *
 * @param root the checkout, or the folder of a source archive, which has no history
 * @param isCi whether this is a CI server, where a checkout must be complete
 */
export function findHistory(root: string, { tag, tree }: Release, { isCi }: { isCi: boolean }): History {
  const isThere = spawnSync('git', ['cat-file', '-e', `${tree}^{tree}`], { cwd: root }).status === 0
  const isExpected = isCi && existsSync(path.join(root, '.git'))
  const message = `This is no clone that holds the source of ${tag} (tree ${tree}). In a shallow one run: git fetch --unshallow --tags`
  return { kind: isThere ? 'there' : isExpected ? 'missing' : 'skipped', message }
}

const CACHE = path.join(cacheDir(process.env), 'releases')

/**
 * Takes a release out of the git history and builds it with its own script and packages. The cache keeps both, so only
 * the first run pays for them. The release's processes run in the cache too, so Node keeps what it compiles.
 *
 * @returns the folder with its dist/, package.json and node_modules; nobody may change it
 * @throws Error with what git, npm or the build printed
 */
async function buildRelease(release: Release): Promise<string> {
  const lock = await command('git', ['show', `${release.tree}:package-lock.json`])
  const modules = await packagesOf(release, lock)
  const built = path.join(CACHE, `${release.tree}-build`)
  await makeOnce(built, (draft) => build(release, draft, modules))
  await makeOnce(path.join(built, 'node_modules'), (draft) => symlink(modules, draft))
  return built
}

async function build({ tree }: Release, dir: string, modules: string): Promise<void> {
  await mkdir(dir)
  const archive = path.join(dir, 'source.tar')
  await command('git', ['archive', '--format=tar', `--output=${archive}`, tree])
  await command('tar', ['-xf', archive, '-C', dir])
  await rm(archive)
  await symlink(modules, path.join(dir, 'node_modules'))
  await command('npm', ['run', 'build'], dir)
  await rm(path.join(dir, 'node_modules'))
}

/** The node_modules of a release's lock file. */
async function packagesOf({ tree }: Release, lock: string): Promise<string> {
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const installed = path.join(CACHE, `packages-${hash}`)
  await makeOnce(installed, async (dir) => {
    await mkdir(dir)
    for (const file of ['package.json', '.npmrc'])
      await writeFile(path.join(dir, file), `${await command('git', ['show', `${tree}:${file}`])}\n`)
    await writeFile(path.join(dir, 'package-lock.json'), lock)
    await command('npm', ['ci', '--no-progress'], dir)
  })
  return path.join(installed, 'node_modules')
}

/** The output of a command. @throws Error with the end of the output when the command failed */
async function command(name: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { code, output } = await run(name, args, { cwd })
  if (code !== 0) throw new Error(`${name} ${args.slice(0, 2).join(' ')} failed:\n${lastLines(output)}`)
  return output
}

/** The first build of a release also installs its packages if they differ from ours. */
const BUILD_WITHIN_MS = 600_000

/**
 * Describes tests that run the former release. Where its source is missing, they are left out with a line on stderr,
 * because nobody reads «skipped» results. On CI they fail.
 *
 * @param define takes a function that returns the folder of the built release inside tests and hooks
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
