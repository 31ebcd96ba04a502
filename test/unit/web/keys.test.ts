import { expect } from 'chai'
import type { Key, Permission, SignedIn } from '../../../web/src/common/api/wire.ts'
import { inPairs } from '../../../web/src/keys/key-pairs.ts'
import { addLine } from '../../../web/src/keys/allowlist-text.ts'
import { expiryOf, sameLengthExpiry } from '../../../web/src/keys/expiry.ts'
import { actionsOn } from '../../../web/src/keys/key-access.ts'
import { changedFields, formOf } from '../../../web/src/keys/key-form.ts'
import * as words from '../../../web/src/keys/key-words.ts'
import { curlCall } from '../../../web/src/keys/key-uses.ts'
import { includedBy, toRows, wideScopes, withoutIncluded } from '../../../web/src/keys/scope-grid.ts'
import { allowableScopes } from '../../../web/src/users/allowable-scopes.ts'

const NOW = new Date('2026-01-15T12:00:00.000Z')

const RIGHTS = { scopes: ['read:all'], ip_allowlist: ['10.0.0.0/8'], expires_at: '2026-01-05T12:00:00.000Z' }
const NAMED = { id: 'key_1', name: 'Key', description: null, type: 'Shared', state: 'active' }
const KEY = { ...NAMED, ...RIGHTS, user_id: 'usr_1', rotated_to: null, replaces: null } as unknown as Key

describe('the grid of scopes', () => {
  const scopes = ['read:all', 'write:all', 'read:contacts', 'write:contacts', 'write:deals', 'admin:all']

  it('has a row for each family, and the wide scopes apart', () => {
    const contacts = { family: 'contacts', read: 'read:contacts', write: 'write:contacts' }
    expect(toRows(scopes)).to.deep.equal([contacts, { family: 'deals', write: 'write:deals' }])
    expect(wideScopes(scopes)).to.deep.equal(['read:all', 'write:all', 'admin:all'])
  })

  it('ticks what a wider scope includes, and does not send it', () => {
    expect(includedBy('read:contacts', ['read:all'])).to.equal('read:all')
    expect(includedBy('write:all', ['admin:all'])).to.equal('admin:all')
    for (const scope of ['read:contacts', 'write:all'] as const)
      expect(includedBy(scope, ['write:all'])).to.equal(undefined)
    const sent = withoutIncluded(['read:contacts', 'read:all', 'write:deals'])
    expect(sent).to.deep.equal(['read:all', 'write:deals'])
  })

  it('have presets, of which nobody is offered more than they may grant', () => {
    const scopes = ['read:all', 'read:webhooks', 'write:webhooks', 'write:deals', 'read:deals', 'admin:all']
    expect(words.presetsOf(scopes, scopes)).to.deep.equal([
      { name: 'Read only', scopes: ['read:all'] },
      { name: 'Publish events', scopes: ['write:deals'] },
      { name: 'Manage webhooks', scopes: ['read:webhooks', 'write:webhooks'] },
    ])
    const names = words.presetsOf(scopes, ['read:all', 'read:webhooks']).map(({ name }) => name)
    expect(names).to.deep.equal(['Read only'])
  })

  it('are told in a sentence: what, and from where', () => {
    expect(words.mayDo(['read:all', 'write:webhooks'])).to.equal('read everything and change webhooks')
    expect(words.mayDo(['read:deals', 'read:tasks'])).to.equal('read deals and tasks')
    expect(words.mayDo([])).to.equal('do nothing yet')
    expect(words.fromWhere([])).to.equal('from any address')
    expect(words.fromWhere(['10.0.0.0/8'])).to.equal('from 10.0.0.0/8 only')
  })

  it('lets an admin allow a member the write scopes of families only', () =>
    expect(allowableScopes(scopes)).to.deep.equal(['write:contacts', 'write:deals']))
})

describe('the form of a key', () => {
  it('changes nothing that nobody touched, and sends only the fields that differ', () => {
    expect(changedFields(KEY, formOf(KEY), NOW)).to.deep.equal({})
    const form = { ...formOf(KEY), name: 'Sync 2', expiry: 'none' }
    expect(changedFields(KEY, form, NOW)).to.deep.equal({ name: 'Sync 2', expires_at: null })
  })

  it('reckons expiry dates, waits for one that is not complete, adds an address once, and gives a command that a shell takes', () => {
    expect(expiryOf('none', '', NOW)).to.equal(null)
    expect(expiryOf('30', '', NOW)).to.equal('2026-02-14T12:00:00.000Z')
    expect(expiryOf('custom', '', NOW)).to.equal(undefined)
    const old = { ...KEY, created_at: '2026-01-01T12:00:00.000Z', expires_at: '2026-01-31T12:00:00.000Z' }
    expect(sameLengthExpiry(old, NOW)).to.deep.equal(new Date('2026-02-14T12:00:00.000Z'))
    for (const text of ['', '203.0.113.7']) expect(addLine(text, '203.0.113.7')).to.equal('203.0.113.7')
    expect(addLine('10.0.0.0/8\n\n', '203.0.113.7')).to.equal('10.0.0.0/8\n203.0.113.7')
    const command = "curl -H 'Authorization: Bearer salesdata_live_x' https://a.example/api-v1-webhooks"
    expect(curlCall('https://a.example', 'salesdata_live_x')).to.equal(command)
  })
})

describe('the list of keys', () => {
  const key = (id: string, fields: Partial<Key> = {}): Key => ({ ...KEY, id, ...fields })
  const until = '2026-01-16T12:00:00.000Z'
  const old = (id: string, heir: string) =>
    key(id, { state: 'in_rotation', rotated_to: heir, expires_at: until })
  const replacing = (id: string) => ({ replaces: { id, expires_at: until } })
  const shown = (...keys: Key[]) => {
    const link = (other?: { is: string; id: string }) => (other ? `(${other.is} ${other.id})` : '')
    return inPairs(keys)
      .map(({ key: { id }, isOld, other }) => (isOld ? '-' : '') + id + link(other))
      .join(' ')
  }

  it('has the old keys of a rotation below the new one, and a link to what is not loaded', () => {
    expect(shown(key('c', replacing('a')), key('b'), old('a', 'c'))).to.equal('c -a b')
    const [d, c] = [key('d', replacing('c')), { ...old('c', 'd'), ...replacing('a') }]
    expect(shown(d, c, old('a', 'c'))).to.equal('d -c -a')
    expect(shown(key('c', replacing('a')), key('b'))).to.equal('c(old a) b')
    expect(shown(key('b'), old('a', 'c'))).to.equal('b a(new c)')
  })
})

describe('what can be done with a key', () => {
  const session = (userId: string, permissions: readonly Permission[]): SignedIn =>
    ({ user: { id: userId }, permissions }) as unknown as SignedIn
  const admin = session('usr_1', ['keys.any'])

  it('follows from its state, and is nothing for a member, unless the key is their own', () => {
    const on = (state: Key['state']) => actionsOn(admin, { ...KEY, state }).join(' ')
    expect(on('active')).to.equal('rotate disable revoke')
    expect(on('disabled')).to.equal('enable revoke')
    expect(on('in_rotation')).to.equal('revoke')
    expect([on('expired'), on('revoked')]).to.deep.equal(['', ''])
    const member = session('usr_2', [])
    expect(actionsOn(member, KEY)).to.deep.equal([])
    expect(actionsOn(member, { ...KEY, type: 'Personal', user_id: 'usr_2' })).to.have.length(3)
    expect(actionsOn(member, { ...KEY, type: 'Personal', user_id: 'usr_3' })).to.deep.equal([])
  })
})
