import type { Mail } from '../mail/mail.ts'
import type { NoticeKind } from './notice.ts'

/** A notice as a message carries it. */
type ToldNotice = {
  readonly kind: NoticeKind
  readonly name: string | null
  readonly webhook_id: string | null
  readonly key_id: string | null
  readonly environment: string | null
  readonly message: string
}

/** The message of a channel, as an `https` channel gets it. `more`: how many notices it does not list. */
export type ChannelMessage = {
  readonly id: string
  readonly event: 'notices' | 'notices.test'
  readonly created_at: string
  readonly data: readonly ToldNotice[]
  readonly more: number
}

const TEST_TEXT = 'This is a test of the channel. Notices will come here.'

/** One line for each notice, that names its webhook or key. */
function linesOf({ event, data, more }: ChannelMessage): string[] {
  if (event === 'notices.test') return [TEST_TEXT]
  const lines = data.map(({ name, webhook_id, key_id, environment, message }) => {
    const what = name ?? webhook_id ?? key_id
    const where = environment === 'test' ? ' (test)' : ''
    return what === null ? message : `${what}${where}: ${message}`
  })
  return more > 0 ? [...lines, `And ${more} more. The list of notices has them all.`] : lines
}

/** Longest subject that a mail gets, in characters. */
const SUBJECT_LENGTH = 120

/** The message as a mail, without its address. */
export function messageMail(message: ChannelMessage): Omit<Mail, 'to'> {
  const lines = linesOf(message)
  const count = message.data.length + message.more
  const first = (lines[0] ?? '').slice(0, SUBJECT_LENGTH)
  const subject = count > 1 ? `${count} notices of your webhooks and keys` : first
  return { subject: subject.replaceAll(/\s+/g, ' '), text: `${lines.join('\n\n')}\n` }
}

/** The message in the JSON of Slack's incoming webhooks. `&`, `<` and `>` would be its markup. */
export function messageSlack(message: ChannelMessage): { readonly text: string } {
  const text = linesOf(message).join('\n')
  return { text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
}
