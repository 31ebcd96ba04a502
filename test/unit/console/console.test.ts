import { createServer } from 'node:http'
import { expect } from 'chai'
import { askOnce, listenOnLoopback } from '../../support/loopback.ts'
import Joi from 'joi'
import Koa from 'koa'
import { addressRoute } from '../../../src/console/address-route.ts'
import { ConsoleCookies } from '../../../src/console/cookies.ts'
import { depsWithoutDatabase } from '../../support/database.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { State } from '../../../src/api/auth/caller.ts'
import { servePages } from '../../../src/console/pages.ts'
import { ApiError } from '../../../src/domain/errors.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

describe('the cookies of the console', () => {
  /** The headers with which an api with these settings sets its cookies. */
  async function setBy(settings: Record<string, string>): Promise<string[]> {
    const cookies = new ConsoleCookies(depsWithoutDatabase(settings).config)
    const app = new Koa().use((ctx) => {
      cookies.setSessionId(ctx, 'a'.repeat(43))
      cookies.keepBeforeSignIn(ctx)
      ctx.body = ''
    })
    return (await askOnce(app.callback())).headers.getSetCookie()
  }

  // decision: Cookies of the console
  it('are Secure and bound to the host, except on plain HTTP on a loopback address', async () => {
    for (const settings of [
      { HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.1' },
      { HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
      { HOST: '127.0.0.1', PUBLIC_URL: 'https://console.example.com' },
      { HOST: '127.0.0.1', TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' },
    ]) {
      const [session, beforeSignIn] = await setBy(settings)
      expect(session).to.match(/^__Host-sid=a{43}; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/)
      expect(beforeSignIn).to.match(/^__Host-pre=[\w-]{43}; .*; secure; httponly$/)
    }
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const [session] = await setBy({ HOST: host })
      expect(session, host).to.match(/^sid=a{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/)
    }
  })
})

// decision: Cost classes
it('a route for strangers waits for a body without a place that all share', async () => {
  const steps: string[] = []
  const { serve } = addressRoute('DELETE', '/x', { answer: Joi.any() }, async (_, readBody) => {
    await readBody()
    return { steps: steps.push('works') }
  })
  const rest = async (wait: () => Promise<void>) => {
    steps.push('rests')
    await wait()
    steps.push('has read')
  }
  await askOnce(new Koa().use((ctx) => serve(ctx, rest)).callback())
  expect(steps).to.deep.equal(['rests', 'has read', 'works'])
})

const PAGE =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/console/assets/a-1.js"></script>'

// decision: Pages of the console
describe('the pages of the console', () => {
  const dir = useTemporaryDirectory('all tests')
  const app = new Koa<State>()
  const server = createServer((request, response) => void app.callback()(request, response))
  const file = (...names: string[]) => path.join(dir.path, ...names)
  let url: string
  before(async () => {
    await mkdir(file('assets'))
    await writeFile(file('assets', 'a-1.js'), `console.log(${'1'.repeat(5_000)})`)
    await writeFile(file('icon.svg'), '<svg/>')
    await writeFile(file('pages.js'), 'secret of the api')
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        ctx.status = error instanceof ApiError ? error.status : 500
      }
    })
    app.use(servePages(dir.path))
    url = (await listenOnLoopback(server)).url
  })
  after(() => server.close().closeAllConnections())

  const get = (at: string, init: RequestInit = {}) => fetch(`${url}${at}`, { redirect: 'manual', ...init })

  it('say how they are built while they are not, and then answer every path without a file, under a policy with a nonce of the answer alone', async () => {
    const response = await get('/console/')
    expect([response.status, await response.text()].join()).to.match(/^503,[^]*npm run build/)
    await writeFile(file('index.html'), PAGE)
    const nonces = new Set<string>()
    for (const file of ['/console/', '/console/live/keys/key_1', '/console/login', '/console/x.js']) {
      const response = await get(file)
      const text = await response.text()
      expect(response.status, file).to.equal(200)
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

  it('are the built files and no others of the folder', async () => {
    await writeFile(file('index.html'), PAGE)
    const others = ['/console/pages.js', '/console/%2e%2e/package.json', '/console/assets/..%2fpages.js']
    for (const file of others)
      expect(await (await get(file)).text(), file).to.not.include('secret of the api')
    expect((await get('/console/assets/gone.js')).status).to.equal(404)
    expect((await get('/console/', { method: 'POST' })).status).to.equal(405)
  })
})
