import { expect } from 'chai'
import { fromApt, fromInstalled } from '../../scripts/lib/browser.mjs'
import { contextIn, reasonOf, useTemporaryDirectory, writeProgram } from './support.ts'

describe('looking for a browser', () => {
  const dir = useTemporaryDirectory()

  it('takes the first Chromium that is on PATH, whatever it is called', async () => {
    const found = () => fromInstalled(contextIn(dir.path), [])
    const browser = await writeProgram(dir.path, 'google-chrome', '')
    expect(await found()).to.deep.equal({ found: browser })
    const shell = await writeProgram(dir.path, 'chromium-headless-shell', '')
    expect(await found(), 'the lightest').to.deep.equal({ found: shell })
  })

  it('installs none unless it is root, and says so', async () => {
    await writeProgram(dir.path, 'apt-get', '#!/bin/sh\nexit 1\n')
    const context = contextIn(dir.path, { platform: 'linux', userId: 1000 })
    expect(reasonOf(await fromApt(context))).to.contain('only as root')
    expect(reasonOf(await fromInstalled(contextIn('/nowhere'), []))).to.contain('chromium')
  })

  it('says what apt-get said when it installs none', async () => {
    await writeProgram(dir.path, 'apt-get', '#!/bin/sh\necho "no such package $*"; exit 1\n')
    const context = contextIn(dir.path, { platform: 'linux', userId: 0 })
    expect(reasonOf(await fromApt(context))).to.match(/no such package .* chromium fonts/)
  })
})
