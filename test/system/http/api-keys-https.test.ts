import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { startProcess } from '../../support/processes.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, Authentication: Only HTTPS is to be used', () => {
  const use = useStack('quiet')
  let dir: string
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'api-tls-'))
  })
  after(() => rm(dir, { recursive: true, force: true }))

  // decision: HTTPS only
  it('refuses to boot in the clear on an address that others can reach', async () => {
    const running = await startProcess(
      'server',
      { ...use.stack.environment, HOST: '0.0.0.0' },
      { waitUntilReady: false },
    )
    expect(await running.exited).to.equal(2)
    expect(running.output()).to.include('TLS_CERT_FILE')
  })

  it('speaks TLS itself with a certificate, and nothing else on that port', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }])
    const files = { TLS_CERT_FILE: path.join(dir, 'cert.pem'), TLS_KEY_FILE: path.join(dir, 'key.pem') }
    await writeFile(files.TLS_CERT_FILE, cert)
    await writeFile(files.TLS_KEY_FILE, key, { mode: 0o600 })
    const api = await use.stack.startApi(files)
    try {
      const url = `${api.url.replace('http:', 'https:')}/api-v1-webhooks`
      expect(await statusOf(url, cert, use.tenant.key)).to.equal(200)
      const plain = fetch(api.url).then(
        ({ status }) => status,
        () => 'cut',
      )
      expect(await plain).to.be.oneOf(['cut', 400])
    } finally {
      await api.stop()
    }
  })

  function statusOf(url: string, ca: string, secret: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${secret}` }
    return new Promise((resolve, reject) => {
      get(url, { ca, headers, checkServerIdentity: () => undefined }, (response) =>
        resolve(response.resume().statusCode),
      ).on('error', reject)
    })
  }
})
