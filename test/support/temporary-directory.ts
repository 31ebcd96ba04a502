import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A directory for each test of the surrounding block, or one for all of them. Read its path inside tests. */
export function useTemporaryDirectory(of: 'each test' | 'all tests' = 'each test'): {
  readonly path: string
} {
  const directory = { path: '' }
  const [begin, end] = of === 'each test' ? [beforeEach, afterEach] : [before, after]
  begin(async () => void (directory.path = await mkdtemp(path.join(tmpdir(), 'a test '))))
  end(() => rm(directory.path, { recursive: true, force: true }))
  return directory
}
