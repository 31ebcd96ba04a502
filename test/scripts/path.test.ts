import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory, writeProgram } from './support.ts'

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8')

/** The fake `npm` of these tests. It installs a `node` that reports this version, and records the call. */
const installer = (dir: string, version: string) => `#!/bin/sh
echo "$*" >> '${dir}/asked'
for name; do :; done
bin="$3/node_modules/\${name%@*}/bin"
mkdir -p "$bin"
printf '#!/bin/sh\\necho ${version}\\n' > "$bin/node"
chmod +x "$bin/node"
`

describe('the Node of the npm scripts', () => {
  const dir = useTemporaryDirectory()
  const versionOf24 = async () => /VERSION = '(24\.[\d.]+)'/.exec(await read('scripts/path.mjs'))![1]!

  /** Asks for the PATH as a Node of this version, with this `npm` on the PATH and an initially empty cache. */
  const findPath = async (npm: string, version: string) => {
    await writeProgram(dir.path, 'npm', npm)
    const PATH = `${dir.path}:/usr/bin:/bin`
    const pretends = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(pretends)}`, 'scripts/path.mjs']
    const options = { cwd: ROOT, env: { PATH, HOME: dir.path }, reject: false }
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, { ...options, extendEnv: false })
    return { exitCode, stdout, stderr, PATH }
  }

  it('is the one that is there when it is new enough', async () => {
    const { stdout, stderr, PATH } = await findPath('#!/bin/sh\nexit 1\n', '22.19.0')
    expect({ stdout, stderr }).to.deep.equal({ stdout: PATH, stderr: '' })
  })

  it('is Node 24 from npm when it is too old, installed once for this user, and says so in one line', async () => {
    const version = await versionOf24()
    const first = await findPath(installer(dir.path, `v${version}`), '22.18.9')
    expect(first.exitCode, first.stderr).to.equal(0)
    const bin = first.stdout.split(':')[0]!
    expect(first.stdout).to.equal(`${bin}:${first.PATH}`)
    expect(bin.startsWith(path.join(dir.path, '.cache/sales-data-webhooks', `node-${version}`))).to.equal(
      true,
    )
    const second = await findPath(installer(dir.path, `v${version}`), '20.20.2')
    expect(second.stdout).to.equal(first.stdout)
    expect(second.stderr).to.match(/^Node 20\.20\.2 is older than 22\.19: going on with Node 24\S* of .+$/)
    expect((await readFile(path.join(dir.path, 'asked'), 'utf8')).trim().split('\n')).to.have.length(1)
  })

  it('is none, and the script fails, when npm cannot install it or it is another version', async () => {
    const refused = await findPath('#!/bin/sh\necho E404\nexit 1\n', '20.20.2')
    expect(refused).to.include({ exitCode: 1, stdout: '' })
    expect(refused.stderr).to.include('E404').and.include('Install Node 22.19 or later')
    const wrong = await findPath(installer(dir.path, 'v20.20.2'), '20.20.2')
    expect(wrong).to.include({ exitCode: 1, stdout: '' })
    expect(wrong.stderr).to.include('does not run: v20.20.2')
  })

  it('is that of every npm script', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
    for (const [name, command] of Object.entries(scripts))
      expect(command, name).to.match(/^PATH=\$\(node scripts\/path\.mjs\) && /)
  })
})
