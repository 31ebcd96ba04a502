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
  const differing = (other: ReturnType<typeof of>, keys = ring, settings = SETTINGS) =>
    fingerprints.differingSettings(keys, settings, other)

  it('differs in exactly the settings that differ, and leaves out what only one of the two releases compares', () => {
    const others = { WEBHOOK_TIMEOUT: 5000, WEBHOOK_CA_FILE: 'PEM' }
    expect(differing(of(others))).to.have.members(Object.keys(others))
    for (const same of [{}, { ONLY_IN_THE_OTHER: 1 }]) expect(differing(of(same))).to.deep.equal([])
    const more = { ...SETTINGS, ONLY_HERE: 1 }
    expect(differing(of({}), ring, more)).to.deep.equal([])
  })

  it('of several workers says in which settings any two of them differ, and that is the keys where theirs are others', () => {
    const among = (...others: ReturnType<typeof of>[]) => fingerprints.differingAmong([of({}), ...others])
    expect(among(of({}))).to.deep.equal([])
    const one = of({ WEBHOOK_TIMEOUT: 1, ONLY_HERE: 1 })
    const other = of({ WEBHOOK_CA_FILE: 'PEM', WEBHOOK_TIMEOUT: 2 })
    expect(among(one, other)).to.deep.equal(['WEBHOOK_CA_FILE', 'WEBHOOK_TIMEOUT'])
    expect(among(of({}, parseKeyRing(newKey('k2'))))).to.deep.equal(['SECRETS_KEYS'])
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
    expect(differing(of({}, after), before)).to.deep.equal([])
    expect(differing(of({ WEBHOOK_TIMEOUT: 1 }, before), after)).to.deep.equal(['WEBHOOK_TIMEOUT'])
    expect(differing(of({}, after), parseKeyRing(k1))).to.deep.equal(['SECRETS_KEYS'])
  })
})
