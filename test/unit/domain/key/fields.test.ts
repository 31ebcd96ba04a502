import { expect } from 'chai'
import { checkAllowlist } from '../../../../src/domain/key/allowlist.ts'
import * as fields from '../../../../src/domain/key/fields.ts'
import { matchesKeyFilter } from '../../../../src/domain/key/key.ts'
import { words } from '../../../support/words.ts'
import { SCOPES } from '../../../../src/domain/key/scopes.ts'

const refused = (check: () => unknown, message: string) =>
  expect(check).to.throw(message).with.property('code', 'VALIDATION_ERROR')

describe('the fields of a key', () => {
  it('are a name of 1 to 255 characters, and a description of 2,000 at most or none', () => {
    expect(fields.checkName('😀'.repeat(255))).to.have.length(510)
    expect(fields.checkDescription('x'.repeat(2_000))).to.have.length(2_000)
    for (const none of [null, '', ' \n']) expect(fields.checkDescription(none)).to.equal(null)
    for (const blank of ['', ' ']) refused(() => fields.checkName(blank), '"name" must not be blank.')
    refused(() => fields.checkName('x'.repeat(256)), '"name" must not be longer than 255 characters.')
    refused(() => fields.checkName('a\0'), '"name" must not contain NUL or unpaired surrogates.')
    const long = '"description" must not be longer than 2000 characters.'
    refused(() => fields.checkDescription('x'.repeat(2_001)), long)
  })

  it('are at least one scope, each once, and none that does not exist', () => {
    const twice = words('write:deals read:all write:deals')
    expect(fields.checkScopes(twice)).to.deep.equal(['write:deals', 'read:all'])
    refused(() => fields.checkScopes([]), 'A key needs at least one scope.')
    const long = 'x'.repeat(101)
    const message = `"${long.slice(1)}" is not a scope. The scopes are ${SCOPES.join(', ')}.`
    refused(() => fields.checkScopes(['read:all', long]), message)
  })

  it('are an allowlist as a list or as text, whose fault is named', () => {
    expect(checkAllowlist('10.0.0.5/8\n::1')).to.deep.equal(['10.0.0.0/8', '::1'])
    expect(checkAllowlist(['10.0.0.5/8'])).to.deep.equal(['10.0.0.0/8'])
    refused(() => checkAllowlist('::1\nbad'), 'Line 2: "bad" is not an IP address or CIDR range.')
    refused(() => checkAllowlist(['bad']), 'Entry 1: "bad" is not an IP address or CIDR range.')
  })
})

describe('the filter of a list of keys', () => {
  const [name, prefix, scopes] = ['Nightly Sync', 'salesdata_live_AbC', ['read:all']]
  const key = { name, prefix, scopes, type: 'Shared' } as Parameters<typeof matchesKeyFilter>[0]

  it('asks for the state, the type, a scope that the key holds itself, and a part of the name or the start of the prefix', () => {
    for (const [filter, isShown] of [
      [{}, true],
      [{ state: 'active' }, true],
      [{ state: 'revoked' }, false],
      [{ type: 'Shared' }, true],
      [{ type: 'Personal' }, false],
      [{ scope: 'read:all' }, true],
      [{ scope: 'read:deals' }, false],
      [{ text: ' SYNC ' }, true],
      [{ text: 'salesdata_LIVE_abc' }, true],
      [{ text: 'live' }, false],
      [{ text: 'abc' }, false],
      [{ state: 'active', type: 'Shared', scope: 'read:all', text: 'other' }, false],
    ] as const)
      expect(matchesKeyFilter(key, 'active', filter), JSON.stringify(filter)).to.equal(isShown)
  })
})
