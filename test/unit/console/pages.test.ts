import { createServer } from 'node:http'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import Koa from 'koa'
import type { State } from '../../../src/api/auth/caller.ts'
import { servePages } from '../../../src/console/pages.ts'
import { ApiError } from '../../../src/domain/errors.ts'

const PAGE =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/console/assets/a-1.js"></script>'

describe('the pages of the console', () => {
  let folder: string
  let url: string
  let close: () => void
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'console-'))
    await mkdir(path.join(folder, 'assets'))
    await writeFile(path.join(folder, 'assets', 'a-1.js'), `console.log(${'1'.repeat(5_000)})`)
    await writeFile(path.join(folder, 'icon.svg'), '<svg/>')
    await writeFile(path.join(folder, 'pages.js'), 'secret of the api')
    const app = new Koa<State>()
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.status = error instanceof ApiError ? error.status : 500
      }
    })
    app.use(servePages(folder))
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = () => {
      server.close()
      server.closeAllConnections()
    }
  })
  after(async () => {
    close()
    await rm(folder, { recursive: true, force: true })
  })

  const get = (file: string, init: RequestInit = {}) =>
    fetch(`${url}${file}`, { redirect: 'manual', ...init })

  it('say how they are built while they are not', async () => {
    const response = await get('/console/')
    expect([response.status, await response.text()].join()).to.match(/^503,[^]*npm run build/)
    await writeFile(path.join(folder, 'index.html'), PAGE)
    expect((await get('/console/')).status).to.equal(200)
  })

  // decision: Pages of the console
  it('answer every path without a file, under a policy with a nonce of the answer alone', async () => {
    await writeFile(path.join(folder, 'index.html'), PAGE)
    const nonces = new Set<string>()
    for (const file of ['/console/', '/console/live/keys/key_1', '/console/login', '/console/x.js']) {
      const response = await get(file)
      const text = await response.text()
      const policy = response.headers.get('content-security-policy') ?? ''
      const [, nonce = ''] = /style-src 'self' 'nonce-([\w+/=]+)'/.exec(policy) ?? []
      expect(text, file).to.equal(PAGE.replace('__CSP_NONCE__', nonce))
      expect(policy).to.match(/^default-src 'none'; script-src 'self'; /)
      expect(policy).to.include("frame-ancestors 'none'").and.not.include('unsafe')
      nonces.add(nonce)
    }
    expect(nonces).to.have.property('size', 4)
    const redirect = await get('/console')
    expect([redirect.status, redirect.headers.get('location')]).to.deep.equal([302, '/console/'])
  })

  it('keep files with a hash in their name for a year, compressed where that is asked for', async () => {
    const plain = await get('/console/assets/a-1.js', { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).to.match(/^(text|application)\/javascript/)
    const packed = await get('/console/assets/a-1.js', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).to.equal('gzip')
    expect(packed.headers.get('vary')).to.equal('Accept-Encoding')
    expect(await packed.text()).to.equal(await plain.text())
    expect((await get('/console/icon.svg')).headers.get('cache-control')).to.equal('no-cache')
  })

  // decision: Pages of the console
  it('are the built files and no others of the folder', async () => {
    await writeFile(path.join(folder, 'index.html'), PAGE)
    for (const file of [
      '/console/pages.js',
      '/console/%2e%2e/package.json',
      '/console/assets/..%2fpages.js',
    ]) {
      expect(await (await get(file)).text(), file).to.not.include('secret of the api')
    }
    expect((await get('/console/assets/gone.js')).status).to.equal(404)
    expect((await get('/console/', { method: 'POST' })).status).to.equal(405)
  })
})
