import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { takeNew } from '../../../src/db/notice/batches.ts'
import { insertNotices } from '../../../src/db/notice/new-notices.ts'
import { noticeOf } from '../../../src/domain/notice/notice.ts'
import { newId } from '../../../src/domain/ids.ts'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { NoticeSender } from '../../../src/upkeep/notice-sender.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import type { PostResult } from '../../../src/sending/operator-post.ts'
import { testDeps } from '../../support/deps.ts'
import type { Json } from '../../support/tenants.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

const NOTICE_URL = 'https://ops.example.com/notices'
const NOTICE_SECRET = newWebhookSecret()
const OK: PostResult = { kind: 'answered', status: 200 }

type Sent = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

// decision: Batches of notices
describe('notices to NOTICE_URL', () => {
  const its = useOperations()
  const { tenant } = its
  let sent: Sent[]
  /** What the address answers, in turn; then 200. */
  let answers: PostResult[]
  beforeEach(async () => {
    await its.empty('notices', 'notice_batches', 'leases')
    sent = []
    answers = []
  })

  const post = {
    send: (request: Sent): Promise<PostResult> => {
      sent.push(request)
      return Promise.resolve(answers.shift() ?? OK)
    },
  }
  const newDeps = () => testDeps(its.database, { NOTICE_URL, NOTICE_SECRET })
  const newSender = (owner = 'w1', deps: SystemDeps = newDeps()) =>
    new NoticeSender(deps, { owner, leaseMs: 60_000, post })
  const told = async (count: number, owner = tenant()) => {
    const made = Array.from({ length: count }, () => {
      const what = { kind: 'deliveries_failed', tenant: owner, targetId: newId('webhook') } as const
      return noticeOf({ ...what, causeAt: new Date() }, { total: 1 })
    })
    await insertNotices(its.db, made)
    await takeNew(its.db, 'waiting', 1_000, { after: '' })
  }
  const verified = ({ headers, body }: Sent): Json =>
    new Webhook(NOTICE_SECRET).verify(body.toString(), headers)

  it('go in turns between companies: one with many delays none of the others', async () => {
    await told(250)
    const neighbours = [newId('company'), newId('company')]
    for (const companyId of neighbours) await told(60, { companyId, environment: 'live' })
    const sender = newSender()
    const read = await countRowsRead(its.db, async (trx) => {
      await new NoticeSender({ ...newDeps(), db: trx }, { owner: 'w1', leaseMs: 60_000, post }).run()
    })
    // A constant for each company, however many of its notices wait.
    expect(read).to.be.below(1_000)
    for (let run = 0; run < 3; run++) await sender.run()
    const companies = sent.map((one) => verified(one).data.map((notice: Json) => notice.company_id as string))
    for (const companyId of neighbours) {
      expect(companies[0].filter((id: string) => id === companyId)).to.have.length.at.least(32)
    }
    expect(companies.map(({ length }: Json) => length as number)).to.deep.equal([100, 100, 100, 70])
  })

  it('are repeated with the same id and bytes until a 2xx, also from another worker, whatever changes meanwhile', async () => {
    await told(1)
    const hung: PostResult = { kind: 'unreachable', reason: 'timeout' }
    answers = [{ kind: 'answered', status: 500 }, hung, { kind: 'answered', status: 302 }]
    const sender = newSender()
    await sender.run()
    await its.db('notices').update({ total: 99 })
    await told(1)
    await sender.run()
    await its.db('leases').update({ expires_at: new Date(0) })
    const other = newSender('w2')
    await other.run()
    await other.run()
    expect(sent).to.have.length(4)
    const [first, ...repeats] = sent
    for (const { body, headers } of repeats) {
      expect([body, headers['webhook-id']]).to.deep.equal([first!.body, first!.headers['webhook-id']])
    }
    for (const one of sent) verified(one)
    await other.run()
    expect(sent[4]?.headers['webhook-id']).to.not.equal(first!.headers['webhook-id'])
  })

  it('go from one worker at a time, and from none where NOTICE_URL is not set', async () => {
    await told(1)
    await newSender('w1', its.deps).run()
    expect(sent).to.deep.equal([])
    answers = [{ kind: 'answered', status: 500 }]
    await newSender('w1').run()
    await newSender('w2').run()
    expect(sent).to.have.length(1)
  })

  it('are counted by result, and a failure is a line of the log without the address', async () => {
    const lines: object[] = []
    const deps = newDeps()
    const warn = (facts: object, msg: string) => lines.push({ ...facts, msg })
    const sender = newSender('w1', { ...deps, log: { ...deps.log, warn } as unknown as SystemDeps['log'] })
    await told(1)
    const refused: PostResult = { kind: 'unreachable', reason: 'ECONNREFUSED' }
    answers = [refused, refused]
    for (let run = 0; run < 3; run++) await sender.run()
    const { values } = await deps.metrics.noticeBatches.get()
    const counted = Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))
    expect(counted).to.deep.equal({ failed: 2, sent: 1 })
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ error: 'ECONNREFUSED' })
    expect(JSON.stringify(lines)).to.not.include('ops.example.com')
  })

  it('never throw into the process while the database is away', async () => {
    const db = (() => {
      throw new Error('away')
    }) as unknown as SystemDeps['db']
    await newSender('w1', { ...newDeps(), db }).run()
    expect(sent).to.deep.equal([])
  })
})
