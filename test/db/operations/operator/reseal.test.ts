import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import { recordHeartbeat } from '../../../../src/db/workers.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { parseKeyRing, startOfSealed } from '../../../../src/domain/sealing/sealing.ts'
import { openSecret } from '../../../../src/domain/webhook/webhook.ts'
import { fingerprintSettings } from '../../../../src/domain/sealing/settings-fingerprint.ts'
import { runOnce } from '../../../../src/operations/idempotency.ts'
import { beginTotp, confirmTotp } from '../../../../src/operations/user/second-factor.ts'
import { createWebhook } from '../../../../src/operations/webhook/create.ts'
import type { Deps } from '../../../../src/process/deps.ts'
import { findSecretsKeysFault } from '../../../../src/process/secrets-keys.ts'
import { useDatabase } from '../../../support/database.ts'
import { testDeps } from '../../../support/deps.ts'
import { createKeyring } from '../../../support/keyring.ts'
import { runCommand } from '../../../support/operator-commands.ts'
import { refusalOf } from '../../../support/refusals.ts'

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

describe('secrets reseal', () => {
  const [old, fresh] = [newKey('old'), newKey('new')]
  const database = useDatabase()
  beforeEach(async () => {
    await Promise.all(
      ['webhooks', 'idempotency', 'sealing_keys', 'workers', 'users'].map((table) =>
        database.db(table).delete(),
      ),
    )
  })

  const depsWith = (...keys: string[]): Deps => testDeps(database, { SECRETS_KEYS: keys.join() })
  const boot = (...keys: string[]) => findSecretsKeysFault(database.db, parseKeyRing(keys.join()))
  const reseal = (...keys: string[]) => runCommand(depsWith(...keys), 'secrets', 'reseal')

  async function makeWebhook(deps: Deps, headers?: Record<string, string>) {
    const { companyId } = await createKeyring(deps)
    const tenant = { companyId, environment: 'live' } as const
    const input = { name: 'a', url: 'https://example.com/', events: ['contact.created' as const] }
    const created = await createWebhook(deps, tenant, COMMAND_LINE, { ...input, ...(headers && { headers }) })
    return { tenant, id: created.webhook.id, secret: created.secret }
  }

  /** The first request makes the answer, which repeats get. */
  const ask = (deps: Deps, companyId: string) => {
    const request = { companyId, requestHash: Buffer.alloc(32, 7), fingerprint: Buffer.alloc(32, 1) }
    return runOnce(deps, request, () => Promise.resolve({ body: { secret: 'shown once' } }))
  }

  const makeMember = async (deps: Deps) => {
    const keyring = await createKeyring(deps)
    return { id: await keyring.user(), companyId: keyring.companyId, email: 'a@example.com' }
  }

  const rowOf = (id: string) => database.db('webhooks').where({ id }).first()

  it('puts secrets, headers and kept answers under the first key, and moves nothing else', async () => {
    const former = depsWith(old)
    const webhook = await makeWebhook(former, { 'X-Token': 'a' })
    const bare = await makeWebhook(former)
    await ask(former, webhook.tenant.companyId)
    const member = await makeMember(former)
    const { secret: totp } = await beginTotp(former, member)
    const before = await rowOf(webhook.id)
    await boot(fresh, old)
    expect(await reseal(fresh, old)).to.deep.equal({
      first_key: 'new',
      webhooks: { read: 2, resealed: 2 },
      kept_answers: { read: 1, resealed: 1 },
      second_factors: { read: 1, resealed: 1 },
    })
    const { secret_sealed, headers_sealed, ...rest } = await rowOf(webhook.id)
    expect([secret_sealed, headers_sealed].every((text) => text.startsWith(startOfSealed('new')))).to.equal(
      true,
    )
    expect({ ...before, ...rest }).to.deep.equal(before)
    const later = depsWith(fresh)
    for (const { tenant, id, secret } of [webhook, bare]) {
      const sealed = (await rowOf(id)).secret_sealed
      expect(openSecret(later.config.secretsKeys, tenant.companyId, id, sealed)).to.equal(secret)
    }
    const { answer, isReplay } = await ask(later, webhook.tenant.companyId)
    expect([answer.body, isReplay]).to.deep.equal([{ secret: 'shown once' }, true])
    expect(await boot(fresh)).to.equal(undefined)
    const code = TOTP.generate({ secret: Secret.fromBase32(totp) })
    const actor = { id: member.id }
    expect(await confirmTotp(later, actor, { user: member, idHash: Buffer.alloc(32) }, code)).to.have.length(
      10,
    )
  })

  it('leaves alone what it has done before, also over many pages', async () => {
    const former = depsWith(old)
    const { id } = await makeWebhook(former)
    const done = { ...(await rowOf(id)), secret_sealed: `${startOfSealed('new')}x`, headers_sealed: null }
    const others = Array.from({ length: 250 }, (_, index) => ({ ...done, id: `whk_${1000 + index}` }))
    await database.db.batchInsert('webhooks', others, 100)
    await boot(fresh, old)
    expect((await reseal(fresh, old)).webhooks).to.deep.equal({ read: 251, resealed: 1 })
    const { secret_sealed } = await rowOf(id)
    expect((await reseal(fresh, old)).webhooks).to.deep.equal({ read: 251, resealed: 0 })
    expect(await rowOf(id)).to.include({ secret_sealed })
  })

  it('changes nothing while no process was started with the first key', async () => {
    const webhook = await makeWebhook(depsWith(old))
    await boot(old)
    expect(await refusalOf(reseal(fresh, old))).to.match(/^INVALID_REQUEST: No process was started with/)
    await boot(fresh, old)
    const impostor = newKey('new')
    expect(await refusalOf(reseal(impostor, old))).to.match(/^INVALID_REQUEST: No process was started with/)
    expect((await rowOf(webhook.id)).secret_sealed).to.match(/^v1\.old\./)
  })

  it('changes nothing while a live worker seals with another key', async () => {
    const webhook = await makeWebhook(depsWith(old))
    await boot(fresh, old)
    const settings = fingerprintSettings(parseKeyRing([old, fresh].join()), {})
    await recordHeartbeat(database.db, { id: 'wrk_1', address: '127.0.0.1:1', settings })
    expect(await refusalOf(reseal(fresh, old))).to.match(
      /^INVALID_REQUEST: Worker wrk_1 seals with another key/,
    )
    expect((await rowOf(webhook.id)).secret_sealed).to.match(/^v1\.old\./)
  })

  it('names what no key opens, and seals the others', async () => {
    const lost = await makeWebhook(depsWith(newKey('lost')))
    const kept = await makeWebhook(depsWith(old))
    await boot(fresh, old)
    const refusal = await refusalOf(reseal(fresh, old))
    expect(refusal).to.equal(
      `INVALID_REQUEST: SECRETS_KEYS does not open webhook ${lost.id}. All others are sealed under the first key.`,
    )
    expect((await rowOf(kept.id)).secret_sealed).to.match(/^v1\.new\./)
  })
})
