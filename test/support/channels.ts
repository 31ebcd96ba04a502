import { takeNew } from '../../src/db/notice/batches.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { ChannelKind } from '../../src/domain/notice/channel.ts'
import { addChannel, listChannels } from '../../src/operations/notice/channels.ts'
import { testChannel } from '../../src/operations/notice/verify-channel.ts'
import type { HttpSender } from '../../src/sending/http-sender.ts'
import { createChannels } from '../../src/upkeep/channel-sender.ts'
import { createMailer, createMails } from '../../src/upkeep/mail-sender.ts'
import { testDeps } from './database.ts'
import { startMailServer } from './mail-server.ts'
import { makeNotice } from './notices.ts'
import { untilIs } from './poll.ts'
import { setUpSender } from './sender-setup.ts'
import type { Json } from './tenants.ts'
import { useOperations } from './use-operations.ts'

/**
 * Registers hooks that give each test of the suite a company without channels, and real receivers: an HTTPS server,
 * which the sender of webhooks calls through its guard, and an SMTP server.
 */
export function useChannels() {
  const its = useOperations()
  const setup = setUpSender()
  let mails: Awaited<ReturnType<typeof startMailServer>>
  let deps: ReturnType<typeof testDeps>
  before(async () => {
    mails = await startMailServer()
    deps = testDeps(its.database, {
      SMTP_URL: mails.url,
      SMTP_FROM: 'alerts@example.com',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    })
  })
  after(() => mails.close())
  beforeEach(async () => {
    await its.empty('notices', 'notice_channels', 'mails', 'rate_limits')
    mails.received.length = 0
  })

  const companyOf = () => its.tenant().companyId
  const add = async (kind: ChannelKind, target = setup.endpoint.url, more = {}, companyId = companyOf()) => {
    const { channel, secret } = await addChannel(deps, companyId, COMMAND_LINE, { kind, target, ...more })
    return { id: channel.id, secret }
  }
  async function sendDue(sender: HttpSender = setup.sender, { config } = deps): Promise<void> {
    const mailer = createMailer(config)
    const jobs = [createMails(deps, mailer), createChannels(deps, { sender, mailer })]
    for (const job of jobs) await job.look()
    for (const job of jobs) await job.close()
  }
  async function told(
    count: number,
    webhookId: string,
    kind: 'deliveries_failed' | 'webhook_gone' = 'deliveries_failed',
  ) {
    for (let n = 0; n < count; n++) {
      const createdAt = new Date(Date.now() - (n + 1) * 3_600_000)
      await makeNotice(its.db, its.tenant(), kind, { targetId: webhookId, total: n + 1, createdAt })
    }
    await takeNew(its.db, 'done', 1_000, { after: '' })
  }
  const rowOf = async (id: string): Promise<Json> => its.db('notice_channels').where({ id }).first()
  const due = (id: string) => its.set('notice_channels', { id }, { due_at: new Date(0) })
  const shown = async () => (await listChannels(deps, companyOf()))[0]
  const bodies = () => setup.endpoint.requests.map((request) => request.split('\r\n\r\n')[1]!)
  async function sendWhenWanted(id: string): Promise<void> {
    await untilIs(async () => (await rowOf(id)).test_wanted as number, 1)
    await sendDue()
  }

  /** Requests a test message of a channel, and sends it. */
  const tested = async (id: string) =>
    (await Promise.all([testChannel(deps, companyOf(), id), sendWhenWanted(id)]))[0]
  /** The code in the latest mail. */
  const codeMailed = () => /code: (\d{8})/.exec(mails.received.at(-1)!.raw)?.[1] ?? ''

  const acts = { companyOf, add, sendDue, told, rowOf, due, shown, bodies, tested, codeMailed }
  return {
    its,
    setup,
    ...acts,
    get deps() {
      return deps
    },
    /** The mails that arrived during this test. */
    get received() {
      return mails.received
    },
  }
}
