import type { Knex } from 'knex'
import { databaseNow } from '../../db/clock.ts'
import { countLinks, insertLink } from '../../db/user/access-links.ts'
import { findUser } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { retryLater } from '../../domain/errors.ts'
import { isId, newId } from '../../domain/ids.ts'
import { DAY_MS, HOUR_MS } from '../../domain/instants.ts'
import type { Company } from '../../domain/tenant.ts'
import type { Mail } from '../../domain/mail/mail.ts'
import {
  LINK_LIFETIME_MS,
  LINKS_PER_HOUR,
  MAILED_LINKS_PER_ADDRESS,
  type AccessLink,
  type IssuedLink,
} from '../../domain/user/access-link.ts'
import { hashToken, newToken } from '../../domain/user/session.ts'
import type { Deps } from '../../deps/deps.ts'
import { queueMail } from '../mail/queue.ts'

type LinkOf = Pick<AccessLink, 'kind' | 'email' | 'userId' | 'role' | 'allowedScopes'>

/**
 * Makes a link in a transaction that has locked the company, and queues its mail where a mail server is set.
 *
 * @throws whatever queueMail throws. ApiError RATE_LIMITED beyond LINKS_PER_HOUR or MAILED_LINKS_PER_ADDRESS
 */
export async function issueLink(
  deps: Deps,
  trx: Knex.Transaction,
  company: Pick<Company, 'id' | 'name'>,
  actor: Actor,
  wanted: LinkOf,
): Promise<IssuedLink> {
  const { mailServer, publicUrl } = deps.config
  if ((await countLinks(trx, company.id, HOUR_MS)) >= LINKS_PER_HOUR) {
    const message = `A company may make ${LINKS_PER_HOUR} links an hour: try again later.`
    throw retryLater('RATE_LIMITED', message, 600_000)
  }
  const now = await databaseNow(trx)
  const token = newToken()
  // A browser does not send what comes after the #, so the token is in no log and no Referer.
  const url = new URL(`/console/join#${token}`, publicUrl).href
  const inviter = isId('user', actor.id) ? await findUser(trx, company.id, actor.id) : undefined
  const { kind, email } = wanted
  const mail = mailOf(wanted, company.name, url, inviter?.name)
  if (mailServer && (await countLinks(trx, company.id, DAY_MS, { email })) >= MAILED_LINKS_PER_ADDRESS) {
    const message = `A company may mail ${MAILED_LINKS_PER_ADDRESS} links a day to one address: try again tomorrow.`
    throw retryLater('RATE_LIMITED', message, HOUR_MS)
  }
  const mailId = mailServer ? await queueMail(deps, trx, company.id, kind, mail) : null
  const link: AccessLink = {
    ...wanted,
    id: newId('accessLink'),
    companyId: company.id,
    madeBy: actor.id,
    mailId,
    createdAt: now,
    expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS),
    endedAs: null,
  }
  await insertLink(trx, link, hashToken(token))
  return { link, url: mailId === null ? url : null }
}

function mailOf({ kind, email: to }: LinkOf, companyName: string, url: string, inviter?: string): Mail {
  const who = inviter !== undefined && isPlainName(inviter) ? `${inviter} invites you` : 'You are invited'
  const [subject, first] =
    kind === 'invitation'
      ? [
          `Invitation to ${companyName}`,
          `${who} to ${companyName} in the console of Sales Data Webhooks. Choose your name and password here:`,
        ]
      : [
          `A new password for ${companyName}`,
          `An admin of ${companyName} has reset your password in the console of Sales Data Webhooks. Choose a new one here:`,
        ]
  const text = `${first}\n\n${url}\n\nThe link works once, for 72 hours, and only with this email address. If you did not expect it, ignore this mail.\n`
  return { to, subject: oneLine(subject), text }
}

/** The longest name that a mail shows, in characters. */
const NAME_LENGTH = 60

/**
 * Whether a mail may show the name. People choose their names, but the mail goes to strangers with us as its sender. A
 * mail program makes a name such as `evil.example` a link. A name of several lines would look like a mail of its own.
 */
const isPlainName = (name: string): boolean =>
  name.length <= NAME_LENGTH && !/[\p{C}\p{Zl}\p{Zp}:/@]|[.。．｡]\S/u.test(name)

/** A subject is one line, whatever the company is called. */
const oneLine = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ')
