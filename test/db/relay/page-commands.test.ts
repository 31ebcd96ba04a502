// Also on MySQL with direct attempts: its transactions lock rows.
import { WorkflowNotFoundError } from '@temporalio/client'
import { expect } from 'chai'
import { databaseNow } from '../../../src/db/clock.ts'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import { whileHeld } from '../../support/lock-waits.ts'
import { insertWebhooks } from '../../support/many-rows.ts'
import { useCommands } from '../../support/use-commands.ts'
import { viewWebhook } from '../../../src/operations/webhook/read.ts'

const PARKED = { wake_at: null, parked_at: new Date('2026-01-01T00:00:00.000Z') }
const ONE_PAGE = { calls: 0, pages: 1 }
const parkedIn = (rows: readonly DeliveryRow[]) => rows.filter((row) => row.parked_at !== null).length

// decision: Locks
describe('commands that go over a whole webhook', () => {
  const { its, calls, work, waiting, pauseMs } = useCommands()
  const countParked = async (webhookId: string) => parkedIn(await its.rowsOf(webhookId))

  /** An inactive webhook with `count` deliveries, which is then activated or deleted as `end` says. */
  async function webhookWith(count: number, end: 'activated' | 'deleted', columns: object = PARKED) {
    const id = await its.newWebhook({ isActive: false })
    const ids = await its.insertOpen(id, columns, count)
    if (end === 'deleted') await its.remove(id)
    else await its.setActive(id, true)
    return { id, ids }
  }
  const commands = async () => (await waiting()).filter(({ kind }) => kind !== 'wake')

  // decision: Deleting or activating a webhook
  it('take 1,000 deliveries out of the park at a time, and end after the last one', async () => {
    const { id } = await webhookWith(1_001, 'activated')
    expect(await work(ONE_PAGE)).to.deep.equal(['resume-webhook'])
    expect(await countParked(id)).to.equal(1)
    expect(await commands()).to.deep.equal([{ kind: 'resume-webhook', is_due: 1, tries: 0 }])
    expect(await work(ONE_PAGE)).to.deep.equal(['resume-webhook'])
    expect([await countParked(id), await commands()]).to.deep.equal([0, []])
    expect([(await waiting()).length, calls()]).to.deep.equal([1_001, 0])
  })

  it('come back later where all that is left is held by somebody else', async () => {
    const { id, ids } = await webhookWith(1, 'activated')
    const before = await databaseNow(its.db)
    await whileHeld(its.db, ids[0]!, () => work(ONE_PAGE))
    expect((await waiting())[0]).to.include({ kind: 'resume-webhook', tries: 0 })
    expect(await pauseMs(before)).to.be.at.least(1_000)
    expect(await countParked(id)).to.equal(1)
  })

  it('walk once more for what somebody else held on an earlier page', async () => {
    const { id } = await webhookWith(1_500, 'activated')
    const [first] = await its.rowsOf(id)
    await whileHeld(its.db, first!.id, () => work(ONE_PAGE))
    await work(ONE_PAGE)
    expect(await countParked(id)).to.equal(1)
    await its.set('outbox', { kind: 'resume-webhook' }, { available_at: new Date(0) })
    for (let time = 0; time < 2; time++) await work(ONE_PAGE)
    expect([await countParked(id), await commands()]).to.deep.equal([0, []])
  })

  it('close no delivery whose workflow could not be cancelled, and are left to the next worker when the worker is told to stop', async () => {
    const { ids } = await webhookWith(7, 'deleted', {})
    await work(ONE_PAGE, { isStopping: () => true })
    expect(calls()).to.equal(0)
    expect(await waiting()).to.deep.equal([{ kind: 'cancel-webhook', is_due: 1, tries: 0 }])
    expect(await work(ONE_PAGE).catch(String)).to.equal('Error: away')
    expect(await its.db('deliveries').whereIn('id', ids).where({ status: 'retrying' })).to.have.length(7)
    expect(await waiting()).to.deep.equal([{ kind: 'cancel-webhook', is_due: 0, tries: 0 }])
  })

  it('cancel once more, after the closing, the workflow that began meanwhile, after a direct attempt', async () => {
    const { ids } = await webhookWith(1, 'deleted', {})
    const statuses: string[] = []
    const callTemporal = async (): Promise<never> => {
      statuses.push((await its.rowOf(ids[0]!)).status)
      throw new WorkflowNotFoundError('there is none yet', ids[0]!, undefined)
    }
    await work(ONE_PAGE, { callTemporal })
    expect(statuses).to.deep.equal(['retrying', 'failed'])
  })
})

// decision: Suspended companies
describe('the command that resumes a company', () => {
  const { its, work, waiting, calls } = useCommands()
  const { tenant, newWebhook, setActive, suspend, resume } = its
  const park = (webhookId: string) => its.insertOpen(webhookId, PARKED, 2)
  const countParked = async (webhookId: string) => parkedIn(await its.rowsOf(webhookId))
  const kinds = async () => (await waiting()).map(({ kind }) => kind).sort()
  /** Carries out pages until no command with pages is left. */
  async function workAll(room = ONE_PAGE): Promise<string[]> {
    const done: string[] = []
    for (let some = await work(room); some.length > 0; some = await work(room)) done.push(...some)
    return done
  }

  it('unparks the deliveries of its active webhooks, and leaves those of inactive ones to their activation', async () => {
    const [active, inactive] = [await newWebhook(), await newWebhook()]
    await suspend()
    await setActive(inactive, false)
    for (const id of [active, inactive]) await park(id)
    await resume()
    expect(await workAll()).to.deep.equal(['resume-company', 'resume-webhook'])
    expect([await countParked(active), await countParked(inactive)]).to.deep.equal([0, 2])
    expect(await kinds()).to.deep.equal(['wake', 'wake'])
    await setActive(inactive, true)
    expect(await workAll()).to.deep.equal(['resume-webhook'])
    expect([await countParked(inactive), calls()]).to.deep.equal([0, 0])
  })

  it('leaves what an activation leaves that comes while the company is suspended, and sends it then', async () => {
    const webhook = await newWebhook({ isActive: false })
    await park(webhook)
    await suspend()
    await setActive(webhook, true)
    expect(await workAll()).to.deep.equal(['resume-webhook'])
    expect([await countParked(webhook), await kinds()]).to.deep.equal([2, []])
    await resume()
    expect(await workAll()).to.deep.equal(['resume-company', 'resume-webhook'])
    expect(await countParked(webhook)).to.equal(0)
  })

  it('takes 100 webhooks at a time, of both environments', async () => {
    const [last] = await insertWebhooks(its.db, tenant(), 101)
    await its.set('webhooks', { id: last }, { environment: 'test' })
    await suspend()
    await resume()
    expect(await work(ONE_PAGE)).to.deep.equal(['resume-company'])
    expect((await kinds()).filter((kind) => kind === 'resume-webhook')).to.have.length(100)
    expect(await kinds()).to.include('resume-company')
    const done = await workAll({ calls: 0, pages: 100 })
    expect(done.filter((kind) => kind === 'resume-webhook')).to.have.length(101)
    expect(await kinds()).to.deep.equal([])
  })

  it('ends where the company is suspended again, and what it had queued unparks nothing', async () => {
    const webhook = await newWebhook()
    await suspend()
    await park(webhook)
    await resume()
    await work(ONE_PAGE)
    await suspend()
    expect(await workAll()).to.deep.equal(['resume-webhook'])
    expect(await countParked(webhook)).to.equal(2)
    await resume()
    await suspend()
    expect(await workAll()).to.deep.equal(['resume-company'])
    expect([await countParked(webhook), await kinds()]).to.deep.equal([2, []])
  })

  // decision: A resumption begins anew with endpoints
  it('lets no failure of the time before count against an endpoint', async () => {
    const { webhook } = await its.create()
    const long = new Date(Date.now() - 10 * 86_400_000)
    await its.setHealth(webhook.id, { consecutiveFailures: 30, failingSince: long, probeAt: new Date() })
    await suspend()
    await resume()
    await workAll()
    const { health: after } = await viewWebhook(its.deps, tenant(), webhook)
    expect(after).to.include({ consecutiveFailures: 0, failingSince: null, probeAt: null })
    expect(after.recoveredAt).to.be.an.instanceOf(Date)
  })
})
