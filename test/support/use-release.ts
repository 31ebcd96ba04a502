import { FORMER_RELEASE, findHistory } from './former-release.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { buildRelease } from './release-build.ts'

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
