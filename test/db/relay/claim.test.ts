import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { holderOf } from '../../../src/relay/claim.ts'
import { CAPACITY, SLOTS, useCommands } from '../../support/use-commands.ts'

describe('claiming rows', () => {
  const { its, tenant, create, slots, limits, claim, claimAll, waiting } = useCommands()

  const { publish } = its
  const holder = (webhookId: string) => ({ companyId: tenant().companyId, webhookId })
  const remove = (id: string) => deleteWebhook(its.deps, tenant(), COMMAND_LINE, id)
  const kinds = async (room: Parameters<typeof claim>[0]) => (await claim(room)).map(({ kind }) => kind)

  // decision: Slots
  it('takes no more for a webhook than it has free slots, and reserves them', async () => {
    const { webhook } = await create()
    await publish(5)
    const claimed = await claim()
    expect(claimed).to.have.length(SLOTS)
    for (const row of claimed) expect(holderOf(row)).to.deep.equal(holder(webhook.id))
    expect(slots().free(holder(webhook.id))).to.equal(0)
    expect(await claim()).to.deep.equal([])
    expect((await waiting()).filter(({ is_due }) => is_due)).to.have.length(3)
  })

  // decision: Slots of a company
  it('takes no more for a company at once than stays free in the process for others', async () => {
    const webhooks = 60
    await Promise.all(Array.from({ length: webhooks }, () => create()))
    await publish(SLOTS)
    const claimed = await claim({ calls: webhooks * SLOTS })
    expect(claimed).to.have.length(CAPACITY / 2)
    expect(slots().freeOfAll()).to.equal(CAPACITY / 2)
  })

  it('tells of rows for which only a slot is missing, so that the end of an attempt leads to a claim', async () => {
    await create()
    await publish(SLOTS + 1)
    expect(await claimAll()).to.include({ isMore: true })
    expect(await claimAll()).to.deep.include({ claims: [], isMore: true })
  })

  it('tells of no more when all that waits is held back for an endpoint that fails', async () => {
    const { webhook } = await create()
    await publish(1)
    await limits().refresh()
    const probeAt = new Date(Date.now() + 60_000)
    limits().learn(new Map([[webhook.id, { ...HEALTHY, probeAt }]]), new Date())
    expect(await claimAll()).to.deep.include({ claims: [], isMore: false })
  })

  it('takes more for it once a slot is free again', async () => {
    const { webhook } = await create()
    await publish(5)
    const [first] = await claim()
    slots().cancelReservation(holder(webhook.id), first!.targetId)
    expect(await claim()).to.have.length(1)
  })

  it('takes no more in all than there is room for calls', async () => {
    for (let n = 0; n < 3; n++) await create()
    await publish(2)
    expect(await claim({ calls: 4 })).to.have.length(4)
    expect(await claim({ calls: 0 })).to.deep.equal([])
    expect(await claim({ calls: 4 })).to.have.length(2)
  })

  it('has room of its own for commands that go over a whole webhook, which need no slot', async () => {
    const gone = (await create()).webhook.id
    await create()
    await remove(gone)
    await publish(1)
    expect(await kinds({ calls: 0, pages: 0 })).to.deep.equal([])
    const [page] = await claim({ calls: 0, pages: 1 })
    expect(page).to.include({ kind: 'cancel-webhook' })
    expect(holderOf(page!)).to.equal(undefined)
    expect(slots().freeOfAll()).to.equal(100)
    expect(await kinds({ calls: 10, pages: 0 })).to.deep.equal(['start'])
  })

  it('lets nobody else have a row until its lease ends', async () => {
    await create()
    await publish(1)
    expect(await claim()).to.have.length(1)
    expect(await waiting()).to.deep.equal([{ kind: 'start', is_due: 0, tries: 0 }])
  })
})
