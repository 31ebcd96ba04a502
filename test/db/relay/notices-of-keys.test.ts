// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { DAY_MS } from '../../../src/domain/instants.ts'
import { revokeApiKey, updateApiKey } from '../../../src/operations/key/change.ts'
import { rotateApiKey } from '../../../src/operations/key/rotate.ts'
import { NoticeMaker } from '../../../src/relay/notice-maker.ts'
import { noticesAbout } from '../../support/notices.ts'
import { useOperations } from '../../support/use-operations.ts'

const ahead = (ms: number) => new Date(Date.now() + ms)

// decision: Notices of keys
describe('notices of keys', () => {
  const its = useOperations()
  beforeEach(() => its.empty('notices', 'api_keys'))

  const look = () => new NoticeMaker(its.deps).look()
  const about = (keyId: string) => noticesAbout(its.db, keyId)
  const kindsAbout = async (keyId: string) => (await about(keyId)).map(({ kind }) => kind as string)
  const newKey = async (expiresAt: Date) => (await its.keyring.create({ expiresAt })).id

  it('tell of a key that expires within a week, and again within a day', async () => {
    const [far, week, day] = [
      await newKey(ahead(8 * DAY_MS)),
      await newKey(ahead(3 * DAY_MS)),
      await newKey(ahead(DAY_MS / 2)),
    ]
    await look()
    await look()
    expect(await kindsAbout(far)).to.deep.equal([])
    expect(await kindsAbout(week)).to.deep.equal(['key_expires_in_7_days'])
    expect(await kindsAbout(day)).to.deep.equal(['key_expires_in_1_day'])
    const expiresAt = ahead(DAY_MS / 3)
    await updateApiKey(its.deps, its.keyring.companyId, COMMAND_LINE, week, { expiresAt })
    await look()
    const [, latest] = await about(week)
    expect(latest).to.deep.include({ kind: 'key_expires_in_1_day', environment: 'live', at: expiresAt })
  })

  it('tell of a key from the week and the day on before it expires, to the millisecond', async () => {
    const now = ahead(DAY_MS)
    const keyIn = (ms: number) => newKey(new Date(now.getTime() + ms))
    const [beyondWeek, week, beyondDay, day, last, over] = [
      await keyIn(7 * DAY_MS + 1),
      await keyIn(7 * DAY_MS),
      await keyIn(DAY_MS + 1),
      await keyIn(DAY_MS),
      await keyIn(1),
      await keyIn(0),
    ]
    await new NoticeMaker(its.deps, () => Promise.resolve(now)).look()
    expect(await kindsAbout(beyondWeek)).to.deep.equal([])
    for (const id of [week, beyondDay]) expect(await kindsAbout(id)).to.deep.equal(['key_expires_in_7_days'])
    for (const id of [day, last]) expect(await kindsAbout(id)).to.deep.equal(['key_expires_in_1_day'])
    expect(await kindsAbout(over)).to.deep.equal([])
  })

  it('tell of the end of a grace period in place of an expiry, and nothing of disabled and revoked keys', async () => {
    const { companyId } = its.keyring
    const soon = ahead(DAY_MS / 2)
    const [rotated, later, disabled, revoked] = [
      (await its.keyring.create()).id,
      (await its.keyring.create()).id,
      await newKey(soon),
      await newKey(soon),
    ]
    await rotateApiKey(its.deps, companyId, COMMAND_LINE, rotated, '6h')
    await rotateApiKey(its.deps, companyId, COMMAND_LINE, later, '48h')
    await updateApiKey(its.deps, companyId, COMMAND_LINE, disabled, { isActive: false })
    await revokeApiKey(its.deps, companyId, COMMAND_LINE, revoked)
    await look()
    expect(await kindsAbout(rotated)).to.deep.equal(['key_grace_ends_in_1_day'])
    for (const id of [later, disabled, revoked]) expect(await kindsAbout(id)).to.deep.equal([])
  })
})
