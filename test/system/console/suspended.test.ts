import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { resumeCompany, suspendCompany } from '../../../src/operations/companies.ts'
import { useConsole, verdictOf } from '../../support/console.ts'

describe('the console of a suspended company', () => {
  const its = useConsole()
  const suspend = () => suspendCompany(its.deps, COMMAND_LINE, its.companyId)

  // decision: The console of a suspended company
  it('lets people sign in and look, and tells since when and what they may do', async () => {
    const { email } = await its.user('admin')
    const { suspendedAt } = await suspend()
    const client = its.client()
    const { body } = await client.signIn(email)
    expect(body.data.company).to.include({ suspended_at: suspendedAt!.toISOString() })
    expect(body.data.permissions).to.include.members(['keys.read', 'keys.revoke', 'users.remove'])
    expect(body.data.permissions).to.not.include.members(['webhooks.write'])
    for (const path of ['/webhooks', '/keys', '/deliveries', '/users', '/notices'])
      expect(await client.verdict('GET', path), path).to.equal('200')
    await resumeCompany(its.deps, COMMAND_LINE, its.companyId)
    expect((await client.session()).body.data.company).to.include({ suspended_at: null })
  })

  // decision: The console of a suspended company
  it('refuses every change in sessions that were there before, but takes access away', async () => {
    const { client } = await its.person()
    const newKey = { name: 'a', scopes: ['read:all'], type: 'Shared' }
    const { id: keyId } = (await client.call('POST', '/keys', newKey)).body.data
    const { id: userId } = await its.user('member')
    const hook = { name: 'a', url: 'https://example.com/', events: ['contact.created'] }
    const { id } = (await client.call('POST', '/webhooks', hook)).body.data
    await suspend()
    const refused = [
      ['POST', '/keys', newKey],
      ['POST', '/webhooks', hook],
      ['PATCH', `/webhooks/${id}`, { is_active: false }],
      ['POST', `/webhooks/${id}/test`],
    ] as const
    for (const [method, path, body] of refused) {
      const answer = await client.call(method, path, body)
      expect(verdictOf(answer), path).to.equal('403 INSUFFICIENT_PERMISSIONS')
      expect(answer.body.error.message).to.match(/^The company is suspended/)
    }
    expect(await client.verdict('POST', `/keys/${keyId}/revoke`)).to.equal('200')
    expect(await client.verdict('DELETE', `/users/${userId}`)).to.equal('200')
  })
})
