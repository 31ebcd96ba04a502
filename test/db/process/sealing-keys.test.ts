import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { parseKeyRing, startOfSealed } from '../../../src/domain/sealing/sealing.ts'
import { deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { regenerateSecret } from '../../../src/operations/webhook/secret.ts'
import { createWebhook, type NewWebhookInput } from '../../../src/operations/webhook/create.ts'
import { findSecretsKeysFault } from '../../../src/process/boot.ts'
import { useDatabase, testDeps } from '../../support/database.ts'
import { recordHeartbeat } from '../../../src/db/workers.ts'
import { openSecret } from '../../../src/domain/webhook/webhook.ts'
import { fingerprintSettings } from '../../../src/domain/sealing/settings-fingerprint.ts'
import { queueMail } from '../../../src/operations/mail/queue.ts'
import { addChannel } from '../../../src/operations/notice/channels.ts'
import { updateChannel } from '../../../src/operations/notice/change-channel.ts'
import { runOnce } from '../../../src/operations/idempotency.ts'
import { beginTotp } from '../../../src/operations/user/second-factor.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { createKeyring, webhookInput, refusalOf } from '../../support/use-operations.ts'

const CHANNEL = { kind: 'https', target: 'https://hooks.example.com/hunter2' } as const

/** A new key with this id, as an entry of SECRETS_KEYS. */
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

// decision: A wrong key is found at boot
describe('the keys of SECRETS_KEYS', () => {
  const database = useDatabase()
  const TABLES = ['webhooks', 'idempotency', 'sealing_keys', 'workers', 'users', 'mails', 'notice_channels']
  beforeEach(() => Promise.all(TABLES.map((table) => database.db(table).delete())))

  /** The faults that a process with these keys finds at its start. */
  const faultOf = (...keys: string[]) => findSecretsKeysFault(database.db, parseKeyRing(keys.join()))
  const depsWith = (...keys: string[]): SystemDeps => testDeps(database, { SECRETS_KEYS: keys.join() })

  async function makeWebhook(deps: SystemDeps, fields: Partial<NewWebhookInput> = {}) {
    const tenant = { companyId: (await createKeyring(deps)).companyId, environment: 'live' } as const
    const { webhook, secret } = await createWebhook(deps, tenant, COMMAND_LINE, webhookInput(fields))
    return { tenant, id: webhook.id, secret }
  }

  it('are accepted again, with keys added before and behind, and refused when a known id has other bytes, before there is any webhook', async () => {
    const [right, added, wrong] = [newKey('k1'), newKey('k3'), newKey('k1')]
    for (const keys of [[right], [right], [added, right], [right, added]])
      expect(await faultOf(...keys)).to.equal(undefined)
    for (const keys of [[wrong], [newKey('k2'), wrong]]) {
      const fault = await faultOf(...keys)
      expect(fault).to.include('SECRETS_KEYS: the key "k1" is not the one').and.not.include(wrong.slice(3))
    }
    expect(await faultOf(right)).to.equal(undefined)
  })

  it('are one set when many processes start at once on an empty database', async () => {
    const rings = [newKey('k1'), newKey('k1')]
    const faults = await Promise.all(Array.from({ length: 12 }, (_, index) => faultOf(rings[index % 2]!)))
    const refusedOf = (ring: number) =>
      faults.filter((fault, index) => index % 2 === ring && fault !== undefined).length
    expect([refusedOf(0), refusedOf(1)].sort()).to.deep.equal([0, 6])
  })

  it('may not lack one under which a webhook is sealed, and may once none is', async () => {
    const [old, fresh] = [newKey('old_1'), newKey('fresh')]
    const lacking = 'SECRETS_KEYS lacks the key "old_1", under which secrets are sealed'
    expect(await faultOf(old)).to.equal(undefined)
    const { tenant, id } = await makeWebhook(depsWith(old), { headers: { 'X-Token': 'a' } })
    expect(await faultOf(fresh)).to.equal(lacking)
    await regenerateSecret(depsWith(fresh, old), tenant, COMMAND_LINE, id)
    expect(await faultOf(fresh), 'its header is sealed under the old one').to.equal(lacking)
    await deleteWebhook(depsWith(old), tenant, COMMAND_LINE, id)
    expect(await faultOf(fresh)).to.equal(undefined)
  })

  describe('under which npm run cli -- secrets reseal seals anew', () => {
    const [old, fresh] = [newKey('old'), newKey('new')]
    const reseal = (...keys: string[]) => runCommand(depsWith(...keys), 'secrets', 'reseal')
    const rowOf = (id: string) => database.db('webhooks').where({ id }).first()
    /** The first request creates the answer, and repeats get the same answer. */
    const ask = (deps: SystemDeps, companyId: string) => {
      const request = { companyId, requestHash: Buffer.alloc(32, 7), fingerprint: Buffer.alloc(32, 1) }
      return runOnce(deps, request, () => Promise.resolve({ body: { secret: 'shown once' } }))
    }

    it('puts secrets, headers, kept answers, mails and channels under the first key, and moves nothing else', async () => {
      const former = depsWith(old)
      const webhook = await makeWebhook(former, { headers: { 'X-Token': 'a' } })
      const bare = await makeWebhook(former)
      await ask(former, webhook.tenant.companyId)
      const keyring = await createKeyring(former)
      const user = { id: await keyring.user(), companyId: keyring.companyId, email: 'a@example.com' }
      await beginTotp(former, user)
      const { companyId } = webhook.tenant
      const mailSettings = { SMTP_URL: 'smtp://127.0.0.1:1', SMTP_FROM: 'alerts@example.com' }
      const mailer = testDeps(database, { SECRETS_KEYS: old, ...mailSettings })
      const mail = { to: 'ops@example.com', subject: 'Hello', text: 'hunter2' }
      await queueMail(mailer, database.db, companyId, 'code', mail)
      await addChannel(former, companyId, COMMAND_LINE, CHANNEL)
      const before = await rowOf(webhook.id)
      await faultOf(fresh, old)
      const one = { read: 1, resealed: 1 }
      const others = { kept_answers: one, second_factors: one, mails: one, notice_channels: one }
      const expected = { first_key: 'new', webhooks: { read: 2, resealed: 2 }, ...others }
      expect(await runCommand(depsWith(fresh, old), 'secrets', 'reseal', '--dry-run')).to.deep.equal(expected)
      expect(await rowOf(webhook.id)).to.deep.equal(before)
      expect(await reseal(fresh, old)).to.deep.equal(expected)
      const { secret_sealed, headers_sealed, ...rest } = await rowOf(webhook.id)
      for (const text of [secret_sealed, headers_sealed]) expect(text).to.match(/^v1\.new\./)
      expect({ ...before, ...rest }).to.deep.equal(before)
      const later = depsWith(fresh)
      for (const { tenant, id, secret } of [webhook, bare]) {
        const sealed = (await rowOf(id)).secret_sealed
        expect(openSecret(later.config.secretsKeys, tenant.companyId, id, sealed)).to.equal(secret)
      }
      const { answer, isReplay } = await ask(later, webhook.tenant.companyId)
      expect([answer.body, isReplay]).to.deep.equal([{ secret: 'shown once' }, true])
      expect(await faultOf(fresh), 'nothing is left under the former one').to.equal(undefined)
    })

    it('is asked for before the old key goes, also where only the secret of a channel is sealed under that', async () => {
      const former = depsWith(old)
      const { companyId } = await createKeyring(former)
      const { id } = (await addChannel(former, companyId, COMMAND_LINE, CHANNEL)).channel
      await faultOf(fresh, old)
      const moved = { target: 'https://hooks.example.com/moved' }
      await updateChannel(depsWith(fresh, old), companyId, COMMAND_LINE, id, moved)
      expect(await faultOf(fresh)).to.match(/lacks the key "old"/)
    })

    it('leaves alone what it has done before, also over many pages', async () => {
      const former = depsWith(old)
      const { id } = await makeWebhook(former)
      const done = { ...(await rowOf(id)), secret_sealed: `${startOfSealed('new')}x`, headers_sealed: null }
      const others = Array.from({ length: 250 }, (_, index) => ({ ...done, id: `whk_${1000 + index}` }))
      await database.db.batchInsert('webhooks', others, 100)
      await faultOf(fresh, old)
      expect((await reseal(fresh, old)).webhooks).to.deep.equal({ read: 251, resealed: 1 })
      const { secret_sealed } = await rowOf(id)
      expect((await reseal(fresh, old)).webhooks).to.deep.equal({ read: 251, resealed: 0 })
      expect(await rowOf(id)).to.include({ secret_sealed })
    })

    it('changes nothing while no process was started with the first key, or a live worker seals with another one', async () => {
      const webhook = await makeWebhook(depsWith(old))
      const unstarted = /^INVALID_REQUEST: No process was started with/
      await faultOf(old)
      expect(await refusalOf(reseal(fresh, old))).to.match(unstarted)
      await faultOf(fresh, old)
      expect(await refusalOf(reseal(newKey('new'), old))).to.match(unstarted)
      const settings = fingerprintSettings(parseKeyRing([old, fresh].join()), {})
      await recordHeartbeat(database.db, { id: 'wrk_1', address: '127.0.0.1:1', version: '1', settings })
      const refusal = /^INVALID_REQUEST: Worker wrk_1 seals with another/
      expect(await refusalOf(reseal(fresh, old))).to.match(refusal)
      expect((await rowOf(webhook.id)).secret_sealed).to.match(/^v1\.old\./)
    })

    it('names what no key opens, and seals the others', async () => {
      const lost = await makeWebhook(depsWith(newKey('lost')))
      const kept = await makeWebhook(depsWith(old))
      await faultOf(fresh, old)
      const refusal = `SECRETS_KEYS does not open webhook ${lost.id}. All others are sealed under the first key.`
      expect(await refusalOf(reseal(fresh, old))).to.equal(`INVALID_REQUEST: ${refusal}`)
      expect((await rowOf(kept.id)).secret_sealed).to.match(/^v1\.new\./)
    })
  })
})
