import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory, writeProgram } from './support.js'

const read = (file: string) => readFile(path.join(ROOT, file), 'utf8')

describe('npm run test:node24', () => {
  const dir = useTemporaryDirectory()

  /** Looks for Node 24 with this `npm` on the PATH and an empty cache at first. */
  const findNode = async (npm: string) => {
    await writeProgram(dir.path, 'npm', npm)
    const env = { PATH: `${dir.path}:/usr/bin:/bin`, HOME: dir.path }
    return run(process.execPath, ['scripts/node24.mjs'], { cwd: ROOT, env })
  }
  /** Installs a `node` that says it has this version, and notes that it was asked to. */
  const installer = (version: string) => `#!/bin/sh
echo "$*" >> '${dir.path}/asked'
for name; do :; done
bin="$3/node_modules/\${name%@*}/bin"
mkdir -p "$bin"
printf '#!/bin/sh\\necho ${version}\\n' > "$bin/node"
chmod +x "$bin/node"
`

  it('installs Node 24 into the cache of the user at the first run only, and prints its folder', async () => {
    const version = /VERSION = '(24\.[\d.]+)'/.exec(await read('scripts/node24.mjs'))?.[1]
    const first = await findNode(installer(`v${version}`))
    expect(first.code, first.output).to.equal(0)
    const bin = first.output.split('\n').at(-1)!
    expect(bin.startsWith(path.join(dir.path, '.cache', 'sales-data-webhooks', `node-${version}`))).to.equal(
      true,
    )
    expect((await run(path.join(bin, 'node'), [])).output).to.equal(`v${version}`)
    const second = await findNode(installer(`v${version}`))
    expect(second.output.split('\n').at(-1)).to.equal(bin)
    expect((await readFile(path.join(dir.path, 'asked'), 'utf8')).trim().split('\n')).to.have.length(1)
  })

  it('fails, so that no other Node runs the suite, when npm cannot install it or it is another version', async () => {
    const refused = await findNode('#!/bin/sh\necho E404\nexit 1\n')
    expect(refused.code).to.equal(1)
    expect(refused.output).to.include('npm could not install').and.include('E404')
    const wrong = await findNode(installer('v20.20.2'))
    expect(wrong.code).to.equal(1)
    expect(wrong.output).to.include('does not run: v20.20.2')
  })
})

describe('the versions of Node', () => {
  it('are the same in package.json, README, CONTRIBUTING and the image', async () => {
    const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } }
    expect(engines.node).to.equal('>=20.19 <25')
    const bases = [...(await read('Dockerfile')).matchAll(/^FROM node:(\S+)/gm)].map(([, tag]) => tag)
    expect(new Set(bases)).to.deep.equal(new Set(['24-bookworm-slim']))
    for (const file of ['README.md', 'CONTRIBUTING.md'])
      expect(await read(file), file).to.match(/Node 20\.19 to 24/)
  })
})
