import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { countBoot } from '../support/environment.ts'
import { giveCredentials, useBrowser } from '../support/browser.ts'
import { untilSo } from '../support/poll.ts'

describe('the development server of the console', function () {
  this.timeout(60_000)
  const use = useBrowser()

  it('serves the sources, waits for changes of them, and passes calls of the page on to an api', async () => {
    const [port = 0] = await freePorts([0])
    countBoot()
    const vite = spawn(packageBin('vite'), ['web', '--port', String(port), '--strictPort'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], API_URL: use.console.stack.api.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [vite.stdout, vite.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    try {
      await untilSo(() => output.includes('ready in') || vite.exitCode !== null)
      expect(vite.exitCode, output).to.equal(null)
      const { email } = await use.console.user('admin')
      const { page } = await use.page()
      // At the first load Vite bundles packages. That takes a while, and may reload the page.
      page.setDefaultTimeout(30_000)
      const watching = page.waitForEvent('console', (message) => message.text() === '[vite] connected.')
      await page.goto(`http://127.0.0.1:${port}/console/`, { waitUntil: 'commit' })
      await watching
      await page.getByLabel('Email').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.locator('script[src*="/src/main.tsx"]').count()).to.equal(1)
      await giveCredentials(page, email)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      // An open page would request later parts from a stopped server.
      await page.close()
    } finally {
      vite.kill('SIGTERM')
      if (vite.exitCode === null && vite.signalCode === null) await once(vite, 'exit')
    }
  })
})
