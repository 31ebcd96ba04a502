import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { parseKeyRing } from '../../../../src/domain/sealing/sealing.ts'
import * as fingerprints from '../../../../src/domain/sealing/settings-fingerprint.ts'

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const SETTINGS = { WEBHOOK_TIMEOUT: 15_000, WEBHOOK_RETRY_SCHEDULE: [5000, 300_000], WEBHOOK_CA_FILE: null }

describe('a fingerprint of settings', () => {
  const ring = parseKeyRing(newKey('k1'))
  const of = (settings: object, keys = ring) =>
    fingerprints.fingerprintSettings(keys, { ...SETTINGS, ...settings })!

  it('differs in exactly the settings that differ, and leaves out what only one of the two releases compares', () => {
    expect(fingerprints.differingSettings(ring, SETTINGS, of({}))).to.deep.equal([])
    expect(
      fingerprints.differingSettings(ring, SETTINGS, of({ WEBHOOK_TIMEOUT: 5000, WEBHOOK_CA_FILE: 'PEM' })),
    ).to.have.members(['WEBHOOK_TIMEOUT', 'WEBHOOK_CA_FILE'])
    expect(fingerprints.differingSettings(ring, SETTINGS, of({ ONLY_IN_THE_OTHER: 1 }))).to.deep.equal([])
    expect(fingerprints.differingSettings(ring, { ...SETTINGS, ONLY_HERE: 1 }, of({}))).to.deep.equal([])
  })

  it('of several workers says in which settings any two of them differ, and that is the keys where theirs are others', () => {
    const others = [
      of({ WEBHOOK_TIMEOUT: 1, ONLY_HERE: 1 }),
      of({ WEBHOOK_CA_FILE: 'PEM', WEBHOOK_TIMEOUT: 2 }),
    ]
    expect(fingerprints.differingAmong([of({}), of({})])).to.deep.equal([])
    const differing = ['WEBHOOK_CA_FILE', 'WEBHOOK_TIMEOUT']
    expect(fingerprints.differingAmong([of({}), ...others])).to.deep.equal(differing)
    const rekeyed = of({}, parseKeyRing(newKey('k2')))
    expect(fingerprints.differingAmong([of({}), rekeyed])).to.deep.equal(['SECRETS_KEYS'])
  })

  it('cannot be made or tried out without the key: another key gives other hashes, and no value is in it', () => {
    const [one, other] = [of({}), of({}, parseKeyRing(newKey('k1')))]
    for (const [name, hash] of Object.entries(one.hashes)) {
      expect(hash, name).to.match(/^[\w-]{22}$/)
      expect(hash, name).not.to.equal(other.hashes[name])
    }
    expect(JSON.stringify(of({ WEBHOOK_CA_FILE: 'a certificate' }))).not.to.include('certificate')
  })

  it('is compared under the key that made it, also when that is not the first of the ring', () => {
    const [k1, k2] = [newKey('k1'), newKey('k2')]
    const before = parseKeyRing(`${k1},${k2}`)
    const after = parseKeyRing(`${k2},${k1}`)
    expect(fingerprints.differingSettings(before, SETTINGS, of({}, after))).to.deep.equal([])
    expect(fingerprints.differingSettings(after, SETTINGS, of({ WEBHOOK_TIMEOUT: 1 }, before))).to.deep.equal(
      ['WEBHOOK_TIMEOUT'],
    )
    expect(fingerprints.differingSettings(parseKeyRing(k1), SETTINGS, of({}, after))).to.deep.equal([
      'SECRETS_KEYS',
    ])
  })
})
