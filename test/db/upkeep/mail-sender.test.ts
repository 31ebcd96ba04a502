import { expect } from 'chai'
import { inTransaction } from '../../../src/db/connection/connection.ts'
import { listMailStates } from '../../../src/db/mail/mails.ts'
import type { ApiError } from '../../../src/domain/errors.ts'
import { newId } from '../../../src/domain/ids.ts'
import { MAILS_PER_DAY, MAILS_PER_MAILBOX } from '../../../src/domain/mail/mail.ts'
import { queueMail } from '../../../src/operations/mail/queue.ts'
import { Mailer } from '../../../src/sending/mailer.ts'
import { createMailer, createMails } from '../../../src/upkeep/mail-sender.ts'
import { createCertificate } from '../../support/certificates.ts'
import { testDeps } from '../../support/deps.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useOperations } from '../../support/use-operations.ts'

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

  const depsOf = (url = server.url) => testDeps(its.database, { SMTP_URL: url, SMTP_FROM: FROM })
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
    await sends.settle()
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
    expect(told?.state).to.equal('waiting')
    expect(told?.error).to.include('ECONNREFUSED')
    await its.set(
      'mails',
      { id: waiting },
      { due_at: new Date(0), created_at: its.db.raw('NOW(3) - INTERVAL 1 DAY') },
    )
    await sendDue(away)
    expect(await findMail(waiting)).to.include({ state: 'failed' })
    const deps = depsOf()
    const full = await queue(deps)
    await its.set('mails', { id: full }, { tries: 65_535 })
    const refused = await queue(deps, { to: 'nobody@unknown.example' })
    const busy = await queue(deps, { to: 'ops@busy.example' })
    await sendDue(deps)
    expect(await findMail(refused)).to.include({ state: 'failed' })
    expect((await findMail(refused))?.error).to.include('550 not here')
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
    // Two of the first company at a time, so one look finds those of the other one too.
    await sendDue(deps)
    expect(server.received.map(({ to }) => to[0])).to.have.members([
      'ops@0.example.com',
      'ops@1.example.com',
      'other@example.com',
    ])
    expect(await refusalOf(queue(testDeps(its.database)))).to.match(/^INVALID_REQUEST: .* no mail server/)
  })

  it('of one purpose reach a mailbox five times a day from all companies, however its address is written, and say when again', async () => {
    const deps = depsOf()
    const [first, second] = [idOf(), newId('company')]
    const ways = ['Vic.Tim@Bücher.example', 'victim+1@bücher.example', 'vict.im+a+b@xn--bcher-kva.example.']
    const inCompany = (to: string, companyId: string) =>
      inTransaction(its.db, (trx) => queueMail(deps, trx, companyId, 'code', { ...MAIL, to }))
    for (let n = 0; n < MAILS_PER_MAILBOX.code; n++) await inCompany(ways[n % 3]!, n % 2 ? first : second)
    const refused = await inCompany(ways[0]!, newId('company')).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refused).to.include({ code: 'RATE_LIMITED' })
    expect((refused as ApiError).message).to.match(
      /^An address gets 5 codes for channels a day: try again at 20/,
    )
    expect(Number((refused as ApiError).headers['Retry-After'])).to.be.within(86_300, 86_400)
    expect(await its.db('mails')).to.have.length(MAILS_PER_MAILBOX.code)
    expect(JSON.stringify(await its.db('rate_limits'))).to.not.include('victim')
    await queue(deps, { to: '+victim@bücher.example' })
    await queueMail(deps, its.db, first, 'invitation', { ...MAIL, to: ways[0]! })
    await its.db('rate_limits').update({ expire: Date.now() - 1 })
    await inCompany(ways[1]!, first)
  })

  it('go over TLS with a verified certificate alone', async () => {
    const certificate = await createCertificate(['127.0.0.1'])
    const secure = await startMailServer({ ...certificate, secure: true })
    const send = (ca?: string) =>
      new Mailer({ url: secure.url, from: FROM, timeoutMs: 60_000, ca }).send(
        'mai_1',
        MAIL,
        new AbortController().signal,
      )
    expect(await send()).to.include({ kind: 'unreachable' })
    expect(secure.received).to.deep.equal([])
    expect(await send(certificate.cert)).to.include({ kind: 'sent' })
    await secure.close()
  })
})
