import { expect } from 'chai'
import { SCOPES, type Scope } from '../../../../src/domain/key/scopes.ts'
import {
  ALLOWABLE_SCOPES,
  checkAllowedScopes,
  grantableScopes,
  keyRight,
  scopesBeyond,
} from '../../../../src/domain/user/key-rights.ts'
import type { UserRole } from '../../../../src/domain/user/user.ts'

const holder = (role: UserRole, allowedScopes: Scope[] = []) => ({ id: 'usr_1', role, allowedScopes })
const OWN = { type: 'Personal', userId: 'usr_1' } as const

describe('the keys that somebody may have', () => {
  // decision: Roles
  it('are all for an admin', () => {
    expect(grantableScopes(holder('admin'))).to.deep.equal(SCOPES)
    expect(keyRight(holder('admin'), { type: 'Shared', userId: null }, ['admin:all']).kind).to.equal(
      'allowed',
    )
  })

  // decision: Roles
  it('have for a member every read scope, the allowed write scopes, and never write:all or admin:all', () => {
    const reads = SCOPES.filter((scope) => scope.startsWith('read:'))
    expect(grantableScopes(holder('member'))).to.deep.equal(reads)
    const member = holder('member', ['write:deals', 'write:all', 'admin:all'])
    expect(grantableScopes(member)).to.have.members([...reads, 'write:deals'])
    expect(scopesBeyond(member, ['read:all', 'write:deals', 'write:tasks', 'admin:all'])).to.deep.equal([
      ...['write:tasks', 'admin:all'],
    ])
    expect(keyRight(member, OWN, ['write:deals']).kind).to.equal('allowed')
    expect(keyRight(member, OWN, ['write:tasks']).kind).to.equal('refused')
  })

  it('are for a member Personal ones of their own', () => {
    for (const key of [
      { type: 'Shared', userId: null },
      { type: 'Shared', userId: 'usr_1' },
      { type: 'Personal', userId: 'usr_2' },
    ] as const) {
      expect(keyRight(holder('member'), key, []).kind, JSON.stringify(key)).to.equal('refused')
    }
  })

  it('take from an admin single write scopes only', () => {
    expect(checkAllowedScopes(['write:tasks', 'write:deals', 'write:tasks'])).to.deep.equal([
      ...['write:deals', 'write:tasks'],
    ])
    expect(ALLOWABLE_SCOPES).to.not.include('write:all')
    for (const scope of ['write:all', 'admin:all', 'read:all', 'x']) {
      expect(() => checkAllowedScopes([scope]), scope).to.throw(/cannot be allowed/)
    }
  })
})
