import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { deleteWebhook } from '../../../../src/operations/webhook/change.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { checkSecretIsCurrent, regenerateSecret } from '../../../../src/operations/webhook/secret.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { answerOfLostHold, LOST_HOLD } from '../../../support/idempotency.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the secret of a webhook', () => {
  const its = useOperations()
  const { tenant, create, audited } = its
  const regenerate = (id: string, owner = tenant()) => regenerateSecret(its.deps, owner, COMMAND_LINE, id)
  const check = (id: string, secret: string, owner = tenant()) =>
    refusalOf(its.db.transaction((trx) => checkSecretIsCurrent(its.deps, trx, owner, id, secret)))

  it('is the new one alone from its regeneration on, which counts as a change', async () => {
    const { webhook, secret: former } = await create()
    const now = new Date('2030-01-01T00:00:00.000Z')
    const deps = { ...its.deps, clock: () => now }
    const { id, secret } = await regenerateSecret(deps, tenant(), COMMAND_LINE, webhook.id)
    expect(id).to.equal(webhook.id)
    expect(await check(id, secret)).to.equal('none')
    expect(await check(id, former)).to.match(/^VALIDATION_ERROR: "secret" must be the current one/)
    const changed = await getWebhook(its.deps, tenant(), id)
    expect(changed).to.deep.equal({ ...webhook, version: 2, updatedAt: now })
  })

  it('is told nowhere in the audit of its regeneration', async () => {
    const { webhook } = await create()
    await regenerate(webhook.id)
    expect((await audited(webhook.id)).slice(1)).to.deep.equal(['webhook.regenerate_secret {}'])
  })

  it('stays when the answer to its regeneration cannot be kept', async () => {
    const { webhook, secret } = await create()
    const failed = regenerateSecret(its.deps, tenant(), COMMAND_LINE, webhook.id, answerOfLostHold())
    expect(await refusalOf(failed)).to.equal(LOST_HOLD)
    expect(await check(webhook.id, secret)).to.equal('none')
  })

  it('is neither checked nor regenerated for foreign tenants, unknown ids and deleted webhooks', async () => {
    const { webhook, secret } = await create()
    const deleted = await create()
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, deleted.webhook.id)
    const foreign = foreignTenants(tenant()).map((other) => [other, webhook.id] as const)
    for (const [owner, id] of [
      ...foreign,
      [tenant(), newId('webhook')] as const,
      [tenant(), deleted.webhook.id] as const,
    ]) {
      expect(await refusalOf(regenerate(id, owner))).to.equal('NOT_FOUND: Webhook not found.')
      expect(await check(id, secret, owner)).to.equal('NOT_FOUND: Webhook not found.')
    }
    expect(await check(webhook.id, secret)).to.equal('none')
  })
})
