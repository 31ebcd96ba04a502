import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory, writeProgram } from './support.ts'

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8')

/** What `npm` does in these tests: it installs a `node` that says it has this version, and notes that it was asked to. */
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

  /** Asks for the PATH as a Node of this version, with this `npm` on the PATH and an empty cache at first. */
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
    for (const version of ['22.19.0', '24.0.0', '26.1.0']) {
      const { stdout, stderr, PATH } = await findPath('#!/bin/sh\nexit 1\n', version)
      expect({ stdout, stderr }, version).to.deep.equal({ stdout: PATH, stderr: '' })
    }
  })

  it('is Node 24 from npm when it is too old, installed once for this user, and says so in one line', async () => {
    const version = await versionOf24()
    const first = await findPath(installer(dir.path, `v${version}`), '22.18.9')
    expect(first.exitCode, first.stderr).to.equal(0)
    const bin = first.stdout.split(':')[0]!
    expect(first.stdout).to.equal(`${bin}:${first.PATH}`)
    expect(bin.indexOf(path.join(dir.path, '.cache', 'sales-data-webhooks', `node-${version}`))).to.equal(0)
    expect((await execa(path.join(bin, 'node'))).stdout).to.equal(`v${version}`)
    const second = await findPath(installer(dir.path, `v${version}`), '20.20.2')
    expect(second.stdout).to.equal(first.stdout)
    expect(second.stderr.split('\n')).to.have.length(1)
    expect(second.stderr).to.include('Node 20.20.2 is older than 22.19: going on with Node 24')
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

  it('is that of every npm script, and the same in package.json, README and CONTRIBUTING', async () => {
    type Package = { scripts: Record<string, string>; engines: { node: string } }
    const { scripts, engines } = JSON.parse(await read('package.json')) as Package
    for (const [name, command] of Object.entries(scripts))
      expect(command, name).to.match(/^PATH=\$\(node scripts\/path\.mjs\) && /)
    expect(engines.node).to.equal('>=22.19')
    for (const file of ['README.md', 'CONTRIBUTING.md'])
      expect(await read(file), file).to.match(/Node 22\.19 or later/)
  })
})
