import { access, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import {
  fromAddress,
  fromCache,
  fromGo,
  fromPath,
  fromSdkDownload,
} from '../../scripts/lib/temporal/find.mjs'
import { contextIn, printing, reasonOf, useTemporaryDirectory, writeProgram } from './support.ts'

const VERSION_LINE = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'
const cacheOf = (home: string) => path.join(home, '.cache', 'sales-data-webhooks', 'bin')

/** Shell text that creates an executable temporal at a path given as shell text. */
const creating = (target: string) =>
  `printf '#!/bin/sh\\necho "${VERSION_LINE}"\\n' > "${target}" && /bin/chmod 755 "${target}"`

describe('looking for Temporal', () => {
  const dir = useTemporaryDirectory()
  const foundInCache = () => ({
    found: { kind: 'executable', executable: path.join(cacheOf(dir.path), 'temporal'), version: '1.29.1' },
  })

  it('takes TEMPORAL_ADDRESS when it is set, and says so when it is not', async () => {
    const env = { TEMPORAL_ADDRESS: 'temporal:7233' }
    const found = { kind: 'address', address: 'temporal:7233' }
    expect(await fromAddress(contextIn(dir.path, { env }))).to.deep.equal({ found })
    expect(reasonOf(await fromAddress(contextIn(dir.path)))).to.equal('TEMPORAL_ADDRESS is not set')
  })

  it('takes the command on PATH when its server is 1.29 or newer', async () => {
    expect(reasonOf(await fromPath(contextIn(dir.path)))).to.equal('there is no temporal on PATH')
    const executable = await writeProgram(dir.path, 'temporal', printing(VERSION_LINE))
    const found = { kind: 'executable', executable, version: '1.29.1' }
    expect(await fromPath(contextIn(dir.path))).to.deep.equal({ found })
  })

  it('refuses a command on PATH that is older or tells no server version', async () => {
    await writeProgram(dir.path, 'temporal', printing('temporal version 1.1.0 (Server 1.25.0, UI 2.30.3)'))
    expect(reasonOf(await fromPath(contextIn(dir.path)))).to.contain(
      'server 1.25.0, too old: 1.29 is the oldest',
    )
    await writeProgram(dir.path, 'temporal', printing('something else'))
    expect(reasonOf(await fromPath(contextIn(dir.path)))).to.contain('does not tell its server version')
  })

  it('takes the one in the cache', async () => {
    expect(reasonOf(await fromCache(contextIn(dir.path)))).to.contain('there is none at')
    await mkdir(cacheOf(dir.path), { recursive: true })
    await writeProgram(cacheOf(dir.path), 'temporal', printing(VERSION_LINE))
    expect(await fromCache(contextIn(dir.path))).to.deep.equal(foundInCache())
  })

  it('has the SDK download one, under whatever name, and keeps it in the cache', async () => {
    // Called as: node download.mjs <directory> <version>
    const nodePath = await writeProgram(dir.path, 'node', `#!/bin/sh\n${creating('$2/temporal-cli-$3')}\n`)
    expect(await fromSdkDownload(contextIn(dir.path, { nodePath }))).to.deep.equal(foundInCache())
    expect(await readdir(cacheOf(dir.path))).to.deep.equal(['temporal'])
  })

  it('says why the SDK could not download one, and leaves nothing behind', async () => {
    const nodePath = await writeProgram(dir.path, 'node', '#!/bin/sh\necho "no route to host"\nexit 1\n')
    const reason = reasonOf(await fromSdkDownload(contextIn(dir.path, { nodePath })))
    expect(reason).to.equal('the SDK could not download it (no route to host)')
    expect(await readdir(cacheOf(dir.path))).to.deep.equal([])
  })

  it('has go build the pinned version into the cache, and tells how far it is', async () => {
    const updates: string[] = []
    const script = `#!/bin/sh\n[ "$*" = "install -v github.com/temporalio/cli/cmd/temporal@v1.5.1" ] || exit 1\n`
    await writeProgram(
      dir.path,
      'go',
      `${script}echo package/a\necho package/b\n${creating('$GOBIN/temporal')}\n`,
    )
    const context = contextIn(dir.path, { onUpdate: (text) => updates.push(text) })
    expect(await fromGo(context)).to.deep.equal(foundInCache())
    expect(updates[0]).to.contain('about 3 minutes')
    expect(updates.at(-1)).to.contain('2 packages compiled')
  })

  it('leaves no broken file in the cache when go fails half way', async () => {
    await writeProgram(
      dir.path,
      'go',
      `#!/bin/sh\n${creating('$GOBIN/temporal')}\necho "out of memory"\nexit 2\n`,
    )
    expect(reasonOf(await fromGo(contextIn(dir.path)))).to.contain('out of memory')
    const left = await access(path.join(cacheOf(dir.path), 'temporal')).then(
      () => true,
      () => false,
    )
    expect(left).to.equal(false)
  })
})
