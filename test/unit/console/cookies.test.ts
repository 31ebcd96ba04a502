import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { ConsoleCookies } from '../../../src/console/cookies.ts'
import { readConfig } from '../../../src/config/index.ts'

const REQUIRED = {
  DATABASE_URL: 'mysql://user:password@127.0.0.1:3306/sales_data',
  SECRETS_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
}

describe('the cookies of the console', () => {
  /** The headers with which the cookies of such an api are set. */
  async function setBy(settings: Record<string, string>): Promise<string[]> {
    const cookies = new ConsoleCookies(readConfig({ ...REQUIRED, ...settings }))
    const app = new Koa().use((ctx) => {
      cookies.setSessionId(ctx, 'a'.repeat(43))
      cookies.keepBeforeSignIn(ctx)
      ctx.body = ''
    })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    server.close()
    server.closeAllConnections()
    return headers.getSetCookie()
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
