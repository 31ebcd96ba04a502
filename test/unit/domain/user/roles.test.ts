import { expect } from 'chai'
import { ACTIONS, actionsOf, permits } from '../../../../src/domain/user/roles.ts'
import { USER_ROLES } from '../../../../src/domain/user/user.ts'
import { words } from '../../../support/words.ts'

describe('the table of roles and actions', () => {
  /** Written out once more: a row that changes by mistake fails here. */
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
    expect([...ACTIONS].sort()).to.deep.equal([...ONLY_ADMINS, ...MEMBERS_TOO].sort())
    for (const role of USER_ROLES)
      expect(ACTIONS.filter((action) => permits(role, action))).to.deep.equal(actionsOf(role))
    expect(actionsOf('admin')).to.deep.equal(ACTIONS)
    expect(actionsOf('member')).to.have.members(MEMBERS_TOO)
  })

  // decision: The console of a suspended company
  it('permits everybody to look while the company is suspended, and to take access away, and nothing else', () => {
    const records = words('keys.read webhooks.read deliveries.read events.read')
    const both = [...records, ...words('notices.read users.read audit.read filters.read keys.revoke')]
    expect(actionsOf('member', true)).to.have.members(both)
    expect(actionsOf('admin', true)).to.have.members([...both, 'channels.read', 'users.remove'])
  })
})
