import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { revokeApiKey, updateApiKey } from '../../../src/operations/key/change.ts'
import { showApiKey } from '../../../src/operations/key/read.ts'
import type { TestKey } from '../../support/keyring.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useSuspension } from '../../support/suspension.ts'
import { clientOf, createTestTenant } from '../../support/tenants.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, States and transitions of an API key, over HTTP', () => {
  const use = useStack('quiet')
  /** Another process on the same database. */
  const other = useStack('proxied')
  const its = useKeys(() => use.stack)

  const change = (id: string, isActive: boolean) =>
    updateApiKey(its.stack.deps, its.keyring.companyId, COMMAND_LINE, id, { isActive: isActive })
  const revoke = (id: string) => revokeApiKey(its.stack.deps, its.keyring.companyId, COMMAND_LINE, id)
  const stateOf = async ({ id }: TestKey) =>
    (await showApiKey(its.stack.deps, its.keyring.companyId, id)).state

  /** What both api processes answer to the key; they must agree. */
  async function verdictOf({ secret }: TestKey): Promise<string> {
    const answers = await Promise.all(
      [its.stack.api.url, other.stack.api.url].map((url) => its.stack.callWith(secret, { url })),
    )
    const [verdict, ...others] = answers.map((answer) => answer.verdict)
    expect(others).to.deep.equal([verdict])
    return verdict ?? ''
  }
  type Change = (id: string) => Promise<unknown>
  const disable: Change = (id) => change(id, false)
  const enable: Change = (id) => change(id, true)
  const expire: Change = (id) => its.expireNow(id)
  const FINAL = ', and it never works again'
  const TRANSITIONS: [string, Change[], string, string?][] = [
    ['active -> disabled by is_active false', [disable], '401 API_KEY_DISABLED'],
    ['disabled -> active by is_active true', [disable, enable], '200'],
    ['active -> expired when the expiration date passes', [expire], '401 API_KEY_EXPIRED', FINAL],
    ['disabled -> expired likewise', [disable, expire], '401 API_KEY_EXPIRED', FINAL],
    ['active -> revoked', [revoke], '401 API_KEY_REVOKED', FINAL],
    ['disabled -> revoked', [disable, revoke], '401 API_KEY_REVOKED', FINAL],
  ]
  for (const [transition, changes, verdict, final = ''] of TRANSITIONS) {
    // decision: Disabled and back
    it(`${transition}: ${verdict} to the next request on every process${final}`, async () => {
      const key = await its.keyring.create()
      expect([await verdictOf(key), await stateOf(key)]).to.deep.equal(['200', 'active'])
      for (const make of changes) await make(key.id)
      expect(await verdictOf(key)).to.equal(verdict)
      expect(await stateOf(key)).to.equal(/-> (\w+)/.exec(transition)![1])
      if (final === '') return
      expect(await refusalOf(enable(key.id))).to.match(/^INVALID_REQUEST: /)
      expect(await verdictOf(key)).to.equal(verdict)
    })
  }

  it('refuses a Personal key by its owner’s membership alone, whatever its own row says', async () => {
    const userId = await its.keyring.user()
    const key = await its.keyring.create({ userId: userId })
    await its.stack.db('users').where({ id: userId }).update({ left_at: new Date(), active_email: null })
    expect(await verdictOf(key)).to.equal('401 API_KEY_REVOKED')
    expect(await stateOf(key)).to.equal('revoked')
  })
})

describe('a suspended company', () => {
  const use = useStack('quiet')
  const other = useStack('proxied')
  const { suspend, resume, companyId } = useSuspension(use)

  // decision: Suspended companies
  it('has its keys refused with the next request to every api process, and nothing is published', async () => {
    const ofCompany = { companyId: companyId(), environment: 'test' } as const
    const sandbox = await createTestTenant(use.stack.db, use.stack.api.url, ofCompany)
    const ask = () =>
      Promise.all(
        [use.stack.api.url, other.stack.api.url].flatMap((url) =>
          [use.tenant.key, sandbox.key].map(async (key) => {
            const { status, body } = await clientOf(url, key)('POST', '/api-v1-contacts', { name: 'Ada' })
            return `${status} ${body.error?.code ?? ''}`
          }),
        ),
      )
    const events = () => use.stack.db('events').where({ company_id: companyId() }) as Promise<unknown[]>
    await suspend()
    expect(new Set(await ask())).to.deep.equal(new Set(['401 API_KEY_DISABLED']))
    expect(await events()).to.have.length(0)
    await resume()
    expect(new Set(await ask())).to.deep.equal(new Set(['201 ']))
    expect(await events()).to.have.length(4)
  })
})
