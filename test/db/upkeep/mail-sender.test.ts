import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { takeNew } from '../../../src/db/notice/batches.ts'
import { makeNotices } from '../../support/notices.ts'
import { newId } from '../../../src/domain/ids.ts'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { NoticeSender } from '../../../src/upkeep/notice-sender.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import type { PostResult } from '../../../src/sending/operator-post.ts'
import type { Json } from '../../support/tenants.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations, refusalOf } from '../../support/use-operations.ts'
import { inTransaction } from '../../../src/db/connection/connection.ts'
import { listMailStates } from '../../../src/db/mail/mails.ts'
import type { ApiError } from '../../../src/domain/errors.ts'
import { MAILS_PER_DAY, MAILS_PER_MAILBOX } from '../../../src/domain/mail/mail.ts'
import { queueMail } from '../../../src/operations/mail/queue.ts'
import { Mailer } from '../../../src/sending/mailer.ts'
import { createMailer, createMails } from '../../../src/upkeep/mail-sender.ts'
import { createCertificate } from '../../support/certificates.ts'
import { startMailServer } from '../../support/mail-server.ts'

const NOTICE_URL = 'https://ops.example.com/notices'
const NOTICE_SECRET = newWebhookSecret()
const OK: PostResult = { kind: 'answered', status: 200 }

type Sent = { readonly url: string; readonly headers: Record<string, string>; readonly body: Buffer }

// decision: Batches of notices
describe('notices to NOTICE_URL', () => {
  const its = useOperations()
  const { tenant } = its
  let sent: Sent[]
  /** The answers of the address in turn, and then 200. */
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
    close: () => Promise.resolve(),
  }
  const newDeps = () => its.depsWith({ NOTICE_URL, NOTICE_SECRET })
  const newSender = (owner = 'w1', deps: SystemDeps = newDeps()) =>
    new NoticeSender(deps, { owner, leaseMs: 60_000, post })
  const told = async (count: number, owner = tenant()) => {
    await makeNotices(its.db, owner, count)
    await takeNew(its.db, 'waiting', 1_000, { after: '' })
  }
  const verified = ({ headers, body }: Sent): Json =>
    new Webhook(NOTICE_SECRET).verify(body.toString(), headers)

  it('go in turns between companies: one with many delays none of the others', async () => {
    await told(250)
    const neighbours = [newId('company'), newId('company')]
    for (const companyId of neighbours) await told(60, { companyId, environment: 'live' })
    const sender = newSender()
    const read = await countRowsRead(its.db, (trx) => newSender('w1', { ...newDeps(), db: trx }).look())
    // The reads per company are constant, however many of its notices wait.
    expect(read).to.be.below(1_000)
    for (let run = 0; run < 3; run++) await sender.look()
    const companies = sent.map((one) => verified(one).data.map((notice: Json) => notice.company_id as string))
    for (const companyId of neighbours)
      expect(companies[0].filter((id: string) => id === companyId)).to.have.length.at.least(32)
    expect(companies.map(({ length }: Json) => length as number)).to.deep.equal([100, 100, 100, 70])
  })

  it('are repeated with the same id and bytes until a 2xx, also from another worker, whatever changes meanwhile', async () => {
    await told(1)
    const hung: PostResult = { kind: 'unreachable', reason: 'timeout' }
    answers = [{ kind: 'answered', status: 500 }, hung, { kind: 'answered', status: 302 }]
    const sender = newSender()
    await sender.look()
    await its.db('notices').update({ total: 99 })
    await told(1)
    await sender.look()
    await its.db('leases').update({ expires_at: new Date(0) })
    const other = newSender('w2')
    await other.look()
    await other.look()
    expect(sent).to.have.length(4)
    const [first, ...repeats] = sent
    for (const { body, headers } of repeats)
      expect([body, headers['webhook-id']]).to.deep.equal([first!.body, first!.headers['webhook-id']])
    for (const one of sent) verified(one)
    await other.look()
    expect(sent[4]?.headers['webhook-id']).to.not.equal(first!.headers['webhook-id'])
  })

  it('go from one worker at a time, and from none where NOTICE_URL is not set', async () => {
    await told(1)
    await newSender('w1', its.deps).look()
    expect(sent).to.deep.equal([])
    answers = [{ kind: 'answered', status: 500 }]
    await newSender('w1').look()
    await newSender('w2').look()
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
    for (let run = 0; run < 3; run++) await sender.look()
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
    await newSender('w1', { ...newDeps(), db }).look()
    expect(sent).to.deep.equal([])
  })
})

const FROM = 'Alerts <alerts@example.com>'
const MAIL = { to: 'ops@example.com', subject: 'You are invited', text: 'https://example.com/#hunter2\n' }

// decision: Mails
// decision: Mails to one mailbox
describe('mails', () => {
  const its = useOperations()
  let server: Awaited<ReturnType<typeof startMailServer>>
  before(async () => (server = await startMailServer()))
  after(() => server.close())
  beforeEach(async () => {
    await its.empty('mails', 'rate_limits')
    server.received.length = 0
  })

  const depsOf = (url = server.url) => its.depsWith({ SMTP_URL: url, SMTP_FROM: FROM })
  const idOf = () => its.tenant().companyId
  const queue = (deps: ReturnType<typeof depsOf>, mail: Partial<typeof MAIL> = {}, companyId = idOf()) =>
    queueMail(deps, its.db, companyId, 'code', { ...MAIL, ...mail })
  async function findMail(id: string) {
    const states = await listMailStates(its.db, idOf(), [id])
    const row = await its.db('mails').where({ id }).first<{ error: string | null } | undefined>()
    return row && { state: states.get(id), error: row.error }
  }
  async function sendDue(deps: ReturnType<typeof depsOf>): Promise<void> {
    const sends = createMails(deps, createMailer(deps.config))
    await sends.look()
    await sends.close()
  }

  it('reach the server as they were queued, once, and nothing of them stays but that they were sent', async () => {
    const deps = depsOf()
    const id = await queue(deps)
    expect(JSON.stringify(await its.db('mails'))).to.not.match(/hunter2|ops@example/)
    await sendDue(deps)
    await sendDue(deps)
    expect(server.received).to.have.length(1)
    const [{ to, raw }] = server.received as [{ to: readonly string[]; raw: string }]
    expect(to).to.deep.equal(['ops@example.com'])
    for (const part of [`From: ${FROM}`, `Message-ID: <${id}@example.com>`, MAIL.text.trim(), MAIL.subject])
      expect(raw).to.include(part)
    expect(await findMail(id)).to.deep.equal({ state: 'sent', error: null })
    expect((await its.db('mails').first<{ mail_sealed: unknown }>()).mail_sealed).to.equal(null)
  })

  it('are tried for a day while the server is away or busy, and given up at once when it refuses them for good', async () => {
    const away = depsOf('smtp://127.0.0.1:1')
    const waiting = await queue(away)
    await sendDue(away)
    const told = await findMail(waiting)
    expect(`${told?.state} ${told?.error}`).to.match(/^waiting .*ECONNREFUSED/)
    const created_at = its.db.raw('NOW(3) - INTERVAL 1 DAY')
    await its.set('mails', { id: waiting }, { due_at: new Date(0), created_at })
    await sendDue(away)
    expect(await findMail(waiting)).to.include({ state: 'failed' })
    const deps = depsOf()
    const full = await queue(deps)
    await its.set('mails', { id: full }, { tries: 65_535 })
    const refused = await queue(deps, { to: 'nobody@unknown.example' })
    const busy = await queue(deps, { to: 'ops@busy.example' })
    await sendDue(deps)
    const given = await findMail(refused)
    expect(`${given?.state} ${given?.error}`).to.match(/^failed .*550 not here/)
    expect(await findMail(busy)).to.include({ state: 'waiting' })
    expect(await findMail(full)).to.include({ state: 'sent' })
  })

  it('go to one address each, a limited number a day for each company, and nowhere without a server', async () => {
    const deps = depsOf()
    expect(await refusalOf(queue(deps, { to: 'a@b, c@d' }))).to.include('one mail address')
    for (let n = 0; n < MAILS_PER_DAY; n++) await queue(deps, { to: `ops@${n}.example.com` })
    expect(await refusalOf(queue(deps))).to.match(/^RATE_LIMITED: .* 100 mails a day/)
    const other = newId('company')
    await queue(deps, { to: 'other@example.com' }, other)
    // A look takes two notices of the first company, so it also finds the other company's.
    await sendDue(deps)
    const reached = ['ops@0.example.com', 'ops@1.example.com', 'other@example.com']
    expect(server.received.map(({ to }) => to[0])).to.have.members(reached)
    expect(await refusalOf(queue(its.depsWith()))).to.match(/^INVALID_REQUEST: .* no mail server/)
  })

  it('of one purpose reach a mailbox five times a day from all companies, however its address is written, and say when again', async () => {
    const deps = depsOf()
    const [first, second] = [idOf(), newId('company')]
    const ways = ['Vic.Tim@Bücher.example', 'victim+1@bücher.example', 'vict.im+a+b@xn--bcher-kva.example.']
    const inCompany = (to: string, companyId: string) =>
      inTransaction(its.db, (trx) => queueMail(deps, trx, companyId, 'code', { ...MAIL, to }))
    for (let n = 0; n < MAILS_PER_MAILBOX.code; n++) await inCompany(ways[n % 3]!, n % 2 ? first : second)
    const refused = (await inCompany(ways[0]!, newId('company')).catch((error: unknown) => error)) as ApiError
    const refusal = /^RATE_LIMITED: An address gets 5 codes for channels a day: try again at 20/
    expect(`${refused.code}: ${refused.message}`).to.match(refusal)
    expect(Number(refused.headers['Retry-After'])).to.be.within(86_300, 86_400)
    expect(await its.db('mails')).to.have.length(MAILS_PER_MAILBOX.code)
    expect(JSON.stringify(await its.db('rate_limits'))).to.not.include('victim')
    await queue(deps, { to: '+victim@bücher.example' })
    await queueMail(deps, its.db, first, 'invitation', { ...MAIL, to: ways[0]! })
    await its.db('rate_limits').update({ expire: Date.now() - 1 })
    await inCompany(ways[1]!, first)
  })

  it('are sent and not repeated when their worker stops while they are on their way', async () => {
    const slow = await startMailServer({
      onData(stream, _session, done) {
        stream.resume().on('end', () => sends.stop())
        stream.on('end', done)
      },
    })
    const deps = depsOf(slow.url)
    const id = await queue(deps)
    const sends = createMails(deps, createMailer(deps.config))
    await sends.look()
    await sends.close()
    expect(await findMail(id)).to.deep.equal({ state: 'sent', error: null })
    await slow.close()
  })

  it('go over TLS with a verified certificate alone', async () => {
    const certificate = await createCertificate(['127.0.0.1'])
    const secure = await startMailServer({ ...certificate, secure: true })
    const send = (ca?: string) =>
      new Mailer({ url: secure.url, from: FROM, timeoutMs: 60_000, ca }).send('mai_1', MAIL)
    expect(await send()).to.include({ kind: 'unreachable' })
    expect(secure.received).to.deep.equal([])
    expect(await send(certificate.cert)).to.include({ kind: 'sent' })
    await secure.close()
  })
})
