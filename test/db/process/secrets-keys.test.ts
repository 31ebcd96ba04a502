import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { Deps } from '../../../src/process/deps.ts'
import { parseKeyRing } from '../../../src/domain/sealing/sealing.ts'
import { deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { regenerateSecret } from '../../../src/operations/webhook/secret.ts'
import { createWebhook } from '../../../src/operations/webhook/create.ts'
import { findSecretsKeysFault } from '../../../src/process/secrets-keys.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { testDeps } from '../../support/deps.ts'
import { createKeyring } from '../../support/keyring.ts'

/** A new key of this id, as an entry of SECRETS_KEYS. */
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

describe('the keys that a process starts with', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  const faultOf = (...keys: string[]) => findSecretsKeysFault(database.db, parseKeyRing(keys.join()))

  /** A webhook with a sealed header, made by a process with these keys. */
  async function makeWebhook(...keys: string[]) {
    const deps = (...own: string[]): Deps => testDeps(database, { SECRETS_KEYS: own.join() })
    const { companyId } = await createKeyring(deps(...keys))
    const tenant = { companyId, environment: 'live' } as const
    const { webhook } = await createWebhook(deps(...keys), tenant, COMMAND_LINE, {
      name: 'a webhook',
      url: 'https://example.com/',
      events: ['contact.created'],
      headers: { 'X-Token': 'a' },
    })
    return {
      regenerate: (...own: string[]) => regenerateSecret(deps(...own), tenant, COMMAND_LINE, webhook.id),
      remove: () => deleteWebhook(deps(...keys), tenant, COMMAND_LINE, webhook.id),
    }
  }

  it('are accepted again, with keys added before and behind', async () => {
    const [first, second, third] = [newKey('k1'), newKey('k2'), newKey('k3')]
    await makeWebhook(first)
    for (const keys of [[first], [first], [second, first], [first, second], [third, second, first]]) {
      expect(await faultOf(...keys)).to.equal(undefined)
    }
  })

  // decision: A wrong key is found at boot
  it('are refused when a known id has other bytes, before there is any webhook', async () => {
    const right = newKey('k1')
    expect(await faultOf(right)).to.equal(undefined)
    const wrong = newKey('k1')
    for (const keys of [[wrong], [newKey('k2'), wrong]]) {
      expect(await faultOf(...keys))
        .to.match(/^SECRETS_KEYS: the key "k1" is not the one/)
        .and.not.include(wrong.slice(3))
    }
    expect(await faultOf(right)).to.equal(undefined)
  })

  // decision: A wrong key is found at boot
  it('are one set when many processes start at once on an empty database', async () => {
    const rings = [newKey('k1'), newKey('k1')]
    const faults = await Promise.all(Array.from({ length: 12 }, (_, index) => faultOf(rings[index % 2]!)))
    const refusedOf = (ring: number) =>
      faults.filter((fault, index) => index % 2 === ring && fault !== undefined).length
    expect([refusedOf(0), refusedOf(1)].sort()).to.deep.equal([0, 6])
  })

  // decision: A wrong key is found at boot
  it('may not lack one under which a webhook is sealed, and may once none is', async () => {
    const [old, fresh] = [newKey('old_1'), newKey('fresh')]
    const lacking = 'SECRETS_KEYS lacks the key "old_1", under which secrets are sealed'
    expect(await faultOf(old)).to.equal(undefined)
    const webhook = await makeWebhook(old)
    expect(await faultOf(fresh)).to.equal(lacking)
    await webhook.regenerate(fresh, old)
    expect(await faultOf(fresh), 'its header is sealed under the old one').to.equal(lacking)
    await webhook.remove()
    expect(await faultOf(fresh)).to.equal(undefined)
  })
})
