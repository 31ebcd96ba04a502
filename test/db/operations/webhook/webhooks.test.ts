// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { listWebhooks } from '../../../../src/db/webhook/lists.ts'
import { findSealedSecret } from '../../../../src/db/webhook/webhooks.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { openSecret, webhookHeaders } from '../../../../src/domain/webhook/webhook.ts'
import { createCompany } from '../../../../src/operations/companies.ts'
import { changeWebhook, deleteWebhook } from '../../../../src/operations/webhook/change.ts'
import { createWebhook } from '../../../../src/operations/webhook/create.ts'
import { refusalOf, useOperations, webhookInput } from '../../../support/use-operations.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { checkSecretIsCurrent, regenerateSecret } from '../../../../src/operations/webhook/secret.ts'

describe('a webhook', () => {
  const its = useOperations()
  const { tenant, create, audited, queued } = its
  const total = async () => (await listWebhooks(its.db, tenant(), { limit: 1, page: 1 }, {})).total

  it('keeps its secret and its headers sealed for this webhook alone', async () => {
    const { webhook, secret } = await create({ headers: { 'X-Token': 'a token' } })
    const { config, db } = its.deps
    const sealed = (await findSealedSecret(db, tenant(), webhook.id))!
    const { companyId } = tenant()
    expect(openSecret(config.secretsKeys, companyId, webhook.id, sealed)).to.equal(secret)
    expect(webhookHeaders(config.secretsKeys, companyId, webhook)).to.deep.equal({ 'X-Token': 'a token' })
    const other = await its.newWebhook()
    expect(() => openSecret(config.secretsKeys, companyId, other, sealed)).to.throw()
    expect(await audited(webhook.id), 'without anything of the secret').to.deep.equal(['webhook.create {}'])
  })

  // decision: How many
  it('is refused beyond WEBHOOKS_PER_TENANT, also when many are made at once; each tenant has room for as many, and for one more after a deletion', async () => {
    const deps = its.depsWith({ WEBHOOKS_PER_TENANT: '3' })
    const createFor = (owner = tenant()) => createWebhook(deps, owner, COMMAND_LINE, webhookInput())
    const refusals = await Promise.all(Array.from({ length: 6 }, () => refusalOf(createFor())))
    const refusal = 'CONFLICT: No more than 3 webhooks are allowed.'
    expect(refusals.sort()).to.deep.equal([...Array<string>(3).fill(refusal), 'none', 'none', 'none'])
    expect(await total()).to.equal(3)
    const { id: companyId } = await createCompany(deps, COMMAND_LINE, { name: 'Other' })
    await createFor({ ...tenant(), environment: 'test' })
    await createFor({ ...tenant(), companyId })
    const { items } = await listWebhooks(its.db, tenant(), { limit: 1, page: 1 }, {})
    await deleteWebhook(deps, tenant(), COMMAND_LINE, items[0]!.id)
    await createFor()
    expect(await refusalOf(createFor())).to.equal(refusal)
  })

  it('is not written for a company that was deleted meanwhile', async () => {
    await its.empty('companies')
    expect(await refusalOf(create())).to.match(/^NOT_FOUND/)
    expect(await total()).to.equal(0)
  })

  // decision: Fields are checked where the work is done
  it('checks every field, whoever calls, and writes nothing for one with a fault', async () => {
    const refused = create({ name: ' ', events: ['contact.exploded'] })
    expect(await refusalOf(refused)).to.match(/^VALIDATION_ERROR: "name" must .* "events" contains /)
    expect(await total()).to.equal(0)
  })

  // decision: Unknown, foreign and malformed ids
  it('is unknown to other tenants, and once it is deleted to its own, whatever is asked for', async () => {
    const { webhook, secret } = await create()
    const deleted = await its.newWebhook()
    await its.remove(deleted)
    const refusal = 'NOT_FOUND: Webhook not found.'
    const { id: known } = webhook
    // With a space after the id the database still finds the row, so secret and headers would be sealed for another id.
    const wrong = [newId('webhook'), deleted, 'whk_1', `${known} `, known.toUpperCase()]
    const foreign = its.foreign().map((other) => [other, webhook.id] as const)
    for (const [owner, id] of [...wrong.map((id) => [tenant(), id] as const), ...foreign]) {
      const args = [its.deps, owner, COMMAND_LINE, id] as const
      for (const ask of [
        () => getWebhook(its.deps, owner, id),
        () => changeWebhook(...args, { isActive: false, headers: { 'X-Tag': 'a' }, secret }),
        () => deleteWebhook(...args),
        () => regenerateSecret(...args),
        () => its.db.transaction((trx) => checkSecretIsCurrent(its.deps, trx, owner, id, secret)),
      ])
        expect(await refusalOf(ask()), `${id} ${String(ask)}`).to.equal(refusal)
    }
    expect(await getWebhook(its.deps, tenant(), webhook.id)).to.deep.equal(webhook)
    expect(await queued()).to.deep.equal(['cancel-webhook'])
  })

  it('has the new secret alone from its regeneration on, which counts as a change', async () => {
    const check = (id: string, secret: string) =>
      refusalOf(its.db.transaction((trx) => checkSecretIsCurrent(its.deps, trx, tenant(), id, secret)))
    const { webhook, secret: former } = await create()
    const now = new Date('2030-01-01T00:00:00.000Z')
    const deps = { ...its.deps, clock: () => now }
    const { id, secret } = await regenerateSecret(deps, tenant(), COMMAND_LINE, webhook.id)
    expect(id).to.equal(webhook.id)
    expect(await check(id, secret)).to.equal('none')
    expect(await check(id, former)).to.match(/^VALIDATION_ERROR: "secret" must be the current one/)
    const changed = await getWebhook(its.deps, tenant(), id)
    expect(changed).to.deep.equal({ ...webhook, version: 2, updatedAt: now })
    expect((await audited(id)).slice(1)).to.deep.equal(['webhook.regenerate_secret {}'])
  })
})
