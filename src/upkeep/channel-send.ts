import type { ChannelRow } from '../db/notice/channels.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { isSuccessful, type AttemptOutcome } from '../domain/delivery/outcome.ts'
import { messageMail, messageSlack, type ChannelMessage } from '../domain/notice/channel.ts'
import { sealContext, unseal } from '../domain/sealing/sealing.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import type { HttpSender } from '../sending/http-sender.ts'
import type { Mailer } from '../sending/mailer.ts'
import { codeOf, mailFailure } from './mail-sender.ts'

/** The parts that send messages. Messages to a URL go through the sender of webhooks, and so through its address guard. */
export type ChannelParts = {
  readonly sender: Pick<HttpSender, 'send'>
  /** Undefined if no mail server is configured. */
  readonly mailer: Pick<Mailer, 'send'> | undefined
}

/**
 * The result of sending a message. `answer`: the text for the company. `code`: the code for the log, without text from
 * the receiver.
 */
export type ChannelResult = { readonly isSent: boolean; readonly code: string; readonly answer: string }

/** The time limit of one message to a URL, in milliseconds. */
const TIMEOUT_MS = 10_000
/** The longest answer that is kept, in characters. */
const ANSWER_LENGTH = 300

/**
 * Tries once to send a message to a channel.
 *
 * @throws SealError when the key ring cannot read the channel; WorkerFault when this machine cannot connect
 */
export async function sendToChannel(
  { config, clock }: Pick<SystemDeps, 'config' | 'clock'>,
  { sender, mailer }: ChannelParts,
  row: ChannelRow,
  message: ChannelMessage,
): Promise<ChannelResult> {
  const { id, company_id: companyId, kind } = row
  const open = (sealed: string, what: 'target' | 'secret') =>
    unseal(config.secretsKeys, sealed, sealContext(companyId, id, what))
  const target = open(row.target_sealed, 'target')
  if (kind === 'email') return sendMail(target)
  const body = Buffer.from(JSON.stringify(kind === 'slack' ? messageSlack(message) : message))
  const timestampSeconds = Math.floor(clock().getTime() / 1000)
  const secret = row.secret_sealed === null ? undefined : open(row.secret_sealed, 'secret')
  const headers =
    secret === undefined ? {} : signatureHeaders({ secret, id: message.id, timestampSeconds, body })
  const to = { companyId, webhookId: id, url: target, withinMs: TIMEOUT_MS }
  return resultOf(await sender.send(to, () => ({ headers, body })))

  async function sendMail(to: string): Promise<ChannelResult> {
    if (!mailer)
      return { isSent: false, code: 'no_mail_server', answer: 'This service has no mail server any more.' }
    const result = await mailer.send(message.id, { to, ...messageMail(message) })
    if (result.kind === 'sent')
      return { isSent: true, code: 'sent', answer: result.answer.slice(0, ANSWER_LENGTH) }
    return { isSent: false, code: codeOf(result), answer: mailFailure(result) }
  }
}

function resultOf(outcome: AttemptOutcome): ChannelResult {
  if (outcome.kind === 'unreachable') {
    const { reason } = outcome
    return { isSent: false, code: reason, answer: `The address was not reached: ${reason}` }
  }
  const answer = `HTTP ${outcome.status}: ${outcome.body}`.slice(0, ANSWER_LENGTH)
  return { isSent: isSuccessful(outcome), code: `http_${outcome.status}`, answer }
}
