import { expect } from 'chai'
import { SCOPES, type Scope } from '../../../../src/domain/key/scopes.ts'
import * as roles from '../../../../src/domain/user/roles.ts'
import { USER_ROLES, type UserRole } from '../../../../src/domain/user/user.ts'
import { words } from '../../../support/words.ts'

describe('the table of roles and actions', () => {
  /** A second copy, so that an accidental change of a row fails here. */
  const ONLY_ADMINS = words(`
    keys.any webhooks.write webhooks.regenerate_secret webhooks.reveal_headers events.send
    users.create users.update users.remove company.update channels.read channels.write notices.write
  `)
  const MEMBERS_TOO = words(`
    keys.read keys.create keys.update keys.rotate keys.revoke webhooks.read webhooks.test deliveries.read
    deliveries.retry deliveries.resend deliveries.recover events.read notices.read notices.mark users.read audit.read
    filters.read filters.write
  `)

  // decision: Roles
  it('permits admins everything, and members to read, test, retry, resend and recover', () => {
    expect([...roles.ACTIONS].sort()).to.deep.equal([...ONLY_ADMINS, ...MEMBERS_TOO].sort())
    const permitted = (role: UserRole) => roles.ACTIONS.filter((action) => roles.permits(role, action))
    for (const role of USER_ROLES) expect(permitted(role)).to.deep.equal(roles.actionsOf(role))
    expect(roles.actionsOf('admin')).to.deep.equal(roles.ACTIONS)
    expect(roles.actionsOf('member')).to.have.members(MEMBERS_TOO)
  })

  // decision: The console of a suspended company
  it('permits everybody to look while the company is suspended, and to take access away, and nothing else', () => {
    const records = words('keys.read webhooks.read deliveries.read events.read')
    const both = [...records, ...words('notices.read users.read audit.read filters.read keys.revoke')]
    expect(roles.actionsOf('member', true)).to.have.members(both)
    expect(roles.actionsOf('admin', true)).to.have.members([...both, 'channels.read', 'users.remove'])
  })
})

const holder = (role: UserRole, allowedScopes: Scope[] = []) => ({ id: 'usr_1', role, allowedScopes })
const OWN = { type: 'Personal', userId: 'usr_1' } as const

// decision: Roles
describe('the keys that somebody may have', () => {
  it('are all for an admin', () => {
    expect(roles.grantableScopes(holder('admin'))).to.deep.equal(SCOPES)
    const shared = { type: 'Shared', userId: null } as const
    expect(roles.keyRight(holder('admin'), shared, ['admin:all']).kind).to.equal('allowed')
  })

  it('have for a member every read scope, the allowed write scopes, and never write:all or admin:all', () => {
    const reads = SCOPES.filter((scope) => scope.startsWith('read:'))
    expect(roles.grantableScopes(holder('member'))).to.deep.equal(reads)
    const member = holder('member', ['write:deals', 'write:all', 'admin:all'])
    expect(roles.grantableScopes(member)).to.have.members([...reads, 'write:deals'])
    const asked = ['read:all', 'write:deals', 'write:tasks', 'admin:all']
    expect(roles.scopesBeyond(member, asked)).to.deep.equal(['write:tasks', 'admin:all'])
    expect(roles.keyRight(member, OWN, ['write:deals']).kind).to.equal('allowed')
    const message =
      'You may not give a key write:tasks, write:all: an admin can allow you single write scopes.'
    const verdict = roles.keyRight(member, OWN, ['read:all', 'write:tasks', 'write:all'])
    expect(verdict).to.deep.equal({ kind: 'refused', message })
  })

  it('are for a member Personal ones of their own', () => {
    const message = 'Your role permits only Personal keys of your own: ask an admin.'
    const shared = { ...OWN, type: 'Shared' } as const
    for (const key of [shared, { ...shared, userId: null }, { ...OWN, userId: 'usr_2' }])
      expect(roles.keyRight(holder('member'), key, [])).to.deep.equal({ kind: 'refused', message })
  })

  it('take from an admin single write scopes only', () => {
    const twice = ['write:tasks', 'write:deals', 'write:tasks']
    expect(roles.checkAllowedScopes(twice)).to.deep.equal(['write:deals', 'write:tasks'])
    expect(roles.ALLOWABLE_SCOPES).to.not.include('write:all')
    const list =
      'write:organizations, write:contacts, write:deals, write:activities, write:tasks, write:webhooks'
    for (const scope of ['write:all', 'admin:all', 'read:all', 'x'.repeat(101)])
      expect(() => roles.checkAllowedScopes([scope]))
        .to.throw(`"${scope.slice(0, 100)}" cannot be allowed to a member. These can: ${list}.`)
        .with.property('code', 'VALIDATION_ERROR')
  })
})
