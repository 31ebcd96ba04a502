// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import { hashApiKey } from '../../../../src/domain/key/key.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createApiKey } from '../../../../src/operations/key/create.ts'
import { listApiKeys, showApiKey } from '../../../../src/operations/key/read.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { createKeyring, type Keyring } from '../../../support/keyring.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('creating and reading API keys', () => {
  const its = useOperations()

  const show = async (id: string) => showApiKey(its.deps, its.keyring.companyId, id)

  it('issues a key that is active at once and has everything it was given', async () => {
    const kept = { name: 'CRM sync', description: 'nightly', expiresAt: new Date('2099-01-01T00:00:00.000Z') }
    const scopes = ['read:deals', 'read:contacts', 'read:deals']
    const given = { ...kept, scopes, ipAllowlist: ['10.0.0.5/8', '2001:DB8::1'] }
    const { id } = await its.keyring.create(given, 'test')
    const { key, state } = await show(id)
    expect(state).to.equal('active')
    const made = { type: 'Shared', environment: 'test', userId: null, requestCount: 0, lastUsedAt: null }
    const normal = { scopes: scopes.slice(0, 2), ipAllowlist: ['10.0.0.0/8', '2001:db8::1'] }
    expect(key).to.deep.include({ ...kept, ...made, ...normal })
  })

  it('stores the SHA-256 of the key and its first 24 characters, and the key nowhere', async () => {
    const { id, secret } = await its.keyring.create()
    const row = (await its.db('api_keys').where({ id }).first()) as Record<string, unknown>
    expect(row['key_hash']).to.deep.equal(hashApiKey(secret))
    expect(row['prefix']).to.equal(secret.slice(0, 24))
    const audited: unknown = await its.db('audit').where({ subject_id: id })
    expect(JSON.stringify([row, audited])).to.not.include(secret.slice(0, 25))
  })

  it('writes who created which key into the audit, with the first 24 characters only', async () => {
    const { id, secret } = await its.keyring.create({ name: 'audited' })
    const [entry] = (await its.db('audit').where({ subject_id: id })) as Record<string, string>[]
    expect(entry).to.include({ actor: 'cli', action: 'key.create', company_id: its.keyring.companyId })
    const details = { prefix: secret.slice(0, 24), name: 'audited', type: 'Shared', scopes: ['admin:all'] }
    expect(JSON.parse(entry!['details']!)).to.deep.equal(details)
  })

  it('makes a Personal key for a member of the company, and for nobody else', async () => {
    const userId = await its.keyring.user()
    const { id } = await its.keyring.create({ userId })
    expect((await show(id)).key).to.include({ type: 'Personal', userId })
    const stranger = await (await createKeyring(its.deps)).user()
    for (const other of [stranger, newId('user'), 'usr_1', `${userId} `]) {
      expect(await refusalOf(its.keyring.create({ userId: other }))).to.equal('NOT_FOUND: User not found.')
    }
    expect(await refusalOf(its.keyring.create({ type: 'Personal' }))).to.equal(
      'VALIDATION_ERROR: A Personal key needs a user.',
    )
  })

  it('refuses an expiry that is not in the future of the database’s clock', async () => {
    const now = await databaseNow(its.db)
    const refusal = 'VALIDATION_ERROR: "expires_at" must be in the future.'
    expect(await refusalOf(its.keyring.create({ expiresAt: now }))).to.equal(refusal)
    expect(await refusalOf(its.keyring.create({ expiresAt: new Date(0) }))).to.equal(refusal)
  })

  it('refuses fields that break a rule and names what is wrong', async () => {
    const refusals: [Parameters<Keyring['create']>[0], RegExp][] = [
      [{ name: ' ' }, /^VALIDATION_ERROR: "name" must not be blank/],
      [{ name: 'x'.repeat(256) }, /^VALIDATION_ERROR: "name" must not be longer than 255/],
      [{ name: 'a\0b' }, /^VALIDATION_ERROR: "name" must not contain NUL/],
      [{ description: '\ud800' }, /^VALIDATION_ERROR: "description" must not contain NUL or unpaired/],
      [{ description: 'x'.repeat(2_001) }, /^VALIDATION_ERROR: "description" must not be longer than 2000/],
      [{ scopes: [] }, /^VALIDATION_ERROR: A key needs at least one scope/],
      [{ scopes: ['read:deals', 'READ:ALL'] }, /^VALIDATION_ERROR: "READ:ALL" is not a scope/],
      [{ ipAllowlist: ['::1', '10.0.0.0/33'] }, /^VALIDATION_ERROR: Entry 2: "10.0.0.0\/33" is not/],
      [{ ipAllowlist: '::1\r\n\r\nnonsense' }, /^VALIDATION_ERROR: Line 3: "nonsense" is not/],
    ]
    for (const [input, expected] of refusals)
      expect(await refusalOf(its.keyring.create(input))).to.match(expected)
  })

  it('answers unknown, foreign and malformed ids alike', async () => {
    const { id } = await its.keyring.create()
    const other = (await createKeyring(its.deps)).companyId
    for (const [companyId, keyId] of [
      [other, id],
      [its.keyring.companyId, newId('apiKey')],
      [its.keyring.companyId, 'key_1'],
      [its.keyring.companyId, `${id} `],
    ] as const) {
      const refusal = await refusalOf(showApiKey(its.deps, companyId, keyId))
      expect(refusal).to.equal('NOT_FOUND: API key not found.')
    }
    const input = { name: 'x', scopes: ['read:all'] }
    for (const companyId of [newId('company'), 'com_1', '']) {
      const tenant = { companyId, environment: 'live' } as const
      const refusal = 'NOT_FOUND: Company not found.'
      expect(await refusalOf(createApiKey(its.deps, tenant, COMMAND_LINE, input))).to.equal(refusal)
      expect(await refusalOf(listApiKeys(its.deps, companyId))).to.equal(refusal)
    }
  })
})
