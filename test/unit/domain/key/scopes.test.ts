import { expect } from 'chai'
import fc from 'fast-check'
import * as scopes from '../../../../src/domain/key/scopes.ts'
import { words } from '../../../support/words.ts'

const READS = words('read:organizations read:contacts read:deals read:activities read:tasks read:webhooks')
const WRITES = READS.map((scope) => scope.replace('read', 'write'))

/** Written from the spec's text: the scopes that a key with only this scope has. A single scope grants itself alone. */
const ALLOWS: Record<string, readonly string[]> = {
  'read:all': ['read:all', ...READS],
  'write:all': ['write:all', ...WRITES],
  'admin:all': ['read:all', ...READS, 'write:all', ...WRITES, 'admin:all'],
  ...Object.fromEntries([...READS, ...WRITES].map((scope) => [scope, [scope]])),
}

const NO_SCOPES = words('toString __proto__ constructor READ:ALL read:webhooks2 read: :all')

describe('scopes', () => {
  // decision: Scopes of the webhook endpoints
  it('are the 13 of the spec and the two webhook scopes, each with a meaning', () => {
    expect([...scopes.SCOPES].sort()).to.deep.equal(Object.keys(ALLOWS).sort())
    for (const scope of scopes.SCOPES) expect(scopes.describeScope(scope)).to.match(/^[A-Z].*\.$/)
  })

  for (const held of scopes.SCOPES)
    it(`${held} grants exactly what the spec says`, () => {
      const granted = scopes.SCOPES.filter((required) => scopes.grants([held], required))
      expect([...granted].sort()).to.deep.equal([...ALLOWS[held]!].sort())
    })

  it('held together grant the union of what each grants, nothing more', () => {
    fc.assert(
      fc.property(fc.subarray([...scopes.SCOPES]), fc.constantFrom(...scopes.SCOPES), (held, required) => {
        const isAllowed = held.some((scope) => ALLOWS[scope]!.includes(required))
        expect(scopes.grants(held, required)).to.equal(isAllowed)
      }),
    )
  })

  it('that do not exist grant nothing, are granted to nobody and are no scopes', () => {
    for (const text of [...NO_SCOPES, 'read:all ', '']) {
      expect(scopes.isScope(text), text).to.equal(false)
      const granted = scopes.SCOPES.filter((required) => scopes.grants([text], required))
      expect(granted, text).to.deep.equal([])
      expect(scopes.grants([text, 'admin:all'], text as 'read:all'), text).to.equal(false)
    }
    expect(scopes.SCOPES.every(scopes.isScope)).to.equal(true)
  })

  it('let a key past the scope step of an event exactly when it may write to some family', () => {
    const writers = scopes.SCOPES.filter((scope) => scopes.holdsAnyWrite([scope]))
    const ofFamilies = scopes.FAMILIES.map((family) => `write:${family}`)
    expect(writers).to.have.members(['admin:all', 'write:all', ...ofFamilies])
    for (const none of [[], ['read:all', 'write:nothing']]) expect(scopes.holdsAnyWrite(none)).to.equal(false)
  })
})
