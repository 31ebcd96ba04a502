import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { newApiKey } from '../../src/domain/key/key.ts'
import { newWebhookSecret } from '../../src/domain/webhook/signing.ts'
import { words } from '../support/words.ts'
import { ROOT } from './documents.ts'

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

type Locked = { license?: string; dev?: boolean; link?: boolean; version?: string }

describe('what SECURITY.md promises', () => {
  it('has patterns that find every key and signing secret, the same in the document and for gitleaks', () => {
    const ofGitleaks = [...read('deploy/gitleaks.toml').matchAll(/regex = '''(.+)'''/g)].map(
      ([, regex]) => regex!,
    )
    const ofDocument = [...read('SECURITY.md').matchAll(/\| `(\\b.+?)` +\|$/gm)].map(([, regex]) =>
      regex!.replaceAll('\\|', '|'),
    )
    expect(ofDocument).to.deep.equal(ofGitleaks).and.have.length(2)
    const [key, secret] = ofGitleaks.map((regex) => new RegExp(regex, 'g'))
    const secrets = Array.from({ length: 100 }, newWebhookSecret)
    const keys = Array.from({ length: 100 }, (_, index) =>
      newApiKey('salesdata', index % 2 ? 'live' : 'test'),
    )
    const text = [...keys, ...secrets].map((one) => `"token": "${one}",`).join('\n')
    expect(text.match(key!)).to.deep.equal(keys)
    expect(text.match(secret!)).to.deep.equal(secrets)
    const random = [randomBytes(32).toString('hex'), randomBytes(64).toString('base64')]
    const harmless = [keys[0]!.slice(0, 24), ...random]
    const others = words(
      'whk_0190f3a2-7c1e-7000-8000-000000000000 salesdata_live_paste_your_key_here whsec_short',
    )
    for (const other of [...harmless, ...others])
      expect([other.match(key!), other.match(secret!)], other).to.deep.equal([null, null])
  })

  // decision: No install scripts
  it('runs no script of a package at its installation, and ships permissive licences alone', () => {
    expect(read('.npmrc').split('\n')).to.include('ignore-scripts=true')
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const nameOf = (place: string) => place.replace(/^.*node_modules\//, '')
    const installed = Object.entries(packages).filter(([place]) => place.includes('node_modules/'))
    const permissive =
      /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Apache-2\.0 AND MIT|Unlicense|BlueOak-1\.0\.0|CC-BY-4\.0)$/
    const shipped = installed.filter(([, { dev, link }]) => dev !== true && link !== true)
    // Its package.json names no licence. Its LICENSE is the Unlicense.
    const others = shipped.filter(
      ([place, { license }]) => !permissive.test(license ?? (nameOf(place) === 'unionfs' ? 'Unlicense' : '')),
    )
    expect(others.map(([place, { license }]) => `${nameOf(place)}: ${license}`)).to.deep.equal([])
  })
})
