import { expect } from 'chai'
import type { CreatedWebhook } from '../../../src/operations/webhook/create.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { deleteCommand } from '../../../src/db/system/outbox-rows.ts'
import { toHealthRow } from '../../../src/db/webhook/health.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { resumeCompany, suspendCompany } from '../../../src/operations/companies.ts'
import { changeWebhook } from '../../../src/operations/webhook/change.ts'
import { viewWebhook } from '../../../src/operations/webhook/read.ts'
import { insertOpenDeliveries } from '../../support/many-rows.ts'
import { useCommands } from '../../support/use-commands.ts'

const PARKED = { wake_at: null, parked_at: new Date('2026-01-01T00:00:00.000Z') }
const ONE_PAGE = { calls: 0, pages: 1 }

describe('the command that resumes a company', () => {
  const { its, tenant, create, claim, work, waiting, calls } = useCommands()
  const companyId = () => tenant().companyId
  const suspend = () => suspendCompany(its.deps, COMMAND_LINE, companyId())
  const resume = () => resumeCompany(its.deps, COMMAND_LINE, companyId())
  const setActive = ({ webhook }: CreatedWebhook, isActive: boolean) =>
    changeWebhook(its.deps, tenant(), COMMAND_LINE, webhook.id, { isActive })
  const park = ({ webhook }: CreatedWebhook, columns: object = PARKED) =>
    insertOpenDeliveries(its.db, 2, { tenant: tenant(), webhookId: webhook.id, columns })
  const countParked = async ({ webhook }: CreatedWebhook) =>
    (await its.db('deliveries').where({ webhook_id: webhook.id }).whereNotNull('parked_at')).length
  const kinds = async () => (await waiting()).map(({ kind }) => kind).sort()
  /** Carries out pages until no command is left that pages. */
  async function workAll(): Promise<string[]> {
    const done: string[] = []
    for (let some = await work(ONE_PAGE); some.length > 0; some = await work(ONE_PAGE)) done.push(...some)
    return done
  }

  // decision: Suspended companies
  it('unparks the deliveries of its active webhooks, and leaves those of inactive ones to their activation', async () => {
    const [active, inactive] = [await create(), await create()]
    await suspend()
    await setActive(inactive, false)
    await park(active)
    await park(inactive)
    await resume()
    expect(await workAll()).to.deep.equal(['resume-company', 'resume-webhook'])
    expect([await countParked(active), await countParked(inactive)]).to.deep.equal([0, 2])
    expect(await kinds()).to.deep.equal(['wake', 'wake'])
    await setActive(inactive, true)
    expect(await workAll()).to.deep.equal(['resume-webhook'])
    expect([await countParked(inactive), calls()]).to.deep.equal([0, 0])
  })

  // decision: Suspended companies
  it('leaves what an activation leaves that comes while the company is suspended, and sends it then', async () => {
    const webhook = await create({ isActive: false })
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
    await Promise.all(Array.from({ length: 101 }, () => create()))
    const last = await its.db('webhooks').where({ company_id: companyId() }).max({ id: 'id' }).first()
    await its.db('webhooks').where({ id: last!.id }).update({ environment: 'test' })
    await suspend()
    await resume()
    expect(await work(ONE_PAGE)).to.deep.equal(['resume-company'])
    expect((await kinds()).filter((kind) => kind === 'resume-webhook')).to.have.length(100)
    expect(await kinds()).to.include('resume-company')
    const done = await workAll()
    expect(done.filter((kind) => kind === 'resume-webhook')).to.have.length(101)
    expect(await kinds()).to.deep.equal([])
  })

  it('ends where the company is suspended again, and what it had queued unparks nothing', async () => {
    const webhook = await create()
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

  it('is there once more where the company was suspended and resumed while it was under way', async () => {
    const webhook = await create()
    await park(webhook)
    await suspend()
    await resume()
    const [row] = await claim(ONE_PAGE)
    await suspend()
    await resume()
    await deleteCommand(its.deps.db, row!, 'w1')
    expect(await kinds()).to.deep.equal(['resume-company'])
    expect(await workAll()).to.deep.equal(['resume-company', 'resume-webhook'])
    expect(await countParked(webhook)).to.equal(0)
  })

  // decision: A resumption begins anew with endpoints
  it('lets no failure of the time before count against an endpoint', async () => {
    const { webhook } = await create()
    const long = new Date(Date.now() - 10 * 86_400_000)
    const health = { ...HEALTHY, consecutiveFailures: 30, failingSince: long, probeAt: new Date() }
    await its.db('webhook_health').insert(toHealthRow(webhook.id, health, new Date()))
    await suspend()
    await resume()
    await workAll()
    const { health: after } = await viewWebhook(its.deps, tenant(), webhook)
    expect(after).to.include({ consecutiveFailures: 0, failingSince: null, probeAt: null })
    expect(after.recoveredAt).to.be.an.instanceOf(Date)
  })
})
