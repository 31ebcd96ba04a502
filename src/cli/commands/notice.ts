import { CHANNEL_KINDS, CHANNEL_PAUSE } from '../../domain/notice/channel.ts'
import { NOTICE_KINDS, TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { parseDurationWithin } from '../../domain/durations.ts'
import { invalid } from '../../domain/errors.ts'
import { requireCompany } from '../../operations/companies.ts'
import { listNotices } from '../../operations/notice/read.ts'
import { listAllNotices } from '../../operations/operator/across-companies.ts'
import { listChannels, removeChannel, addChannel } from '../../operations/notice/channels.ts'
import { confirmChannel, testChannel } from '../../operations/notice/verify-channel.ts'
import { updateChannel } from '../../operations/notice/change-channel.ts'
import { presentChannel, presentOwnedNotice } from '../../presenters/notices.ts'
import { presentCursorPage, presentWholeList } from '../../presenters/pagination.ts'
import { inGroup, isGiven, UsageError, type Values, type Secrets } from '../command.ts'
import { confirm, yesOption } from '../terminal.ts'
import { company, PART, tenantsOf } from '../options.ts'
import { filterByAny, pageOf, parseBoolean, parseChoice } from '../values.ts'

const id = { value: 'ID', help: 'The channel, nch_….', isRequired: true } as const
const target = {
  value: 'TARGET',
  help: 'The mail address or the URL. Without it a terminal asks for a URL, or stdin is read.',
}
const name = { value: 'NAME', help: 'What people call it; "" for none.' }

export const noticeCommands = inGroup('Notices', [
  {
    name: 'notice list',
    summary:
      'List what somebody should know, newest first: failing webhooks, failed deliveries, expiring keys.',
    options: {
      company: {
        value: 'ID',
        help: 'Only those of this company, com_…; by default all, and those for you alone.',
      },
      kind: { value: 'KIND,…', help: `Only these: ${NOTICE_KINDS.join(', ')}.` },
      ...PART,
    },
    columns: 'created_at, kind, webhook_id, key_id, company_id, environment, message',
    run: async ({ deps }, values) => {
      const request = { ...pageOf(values), filter: { kinds: filterByAny(values, 'kind', NOTICE_KINDS) } }
      const { company: companyId } = values
      if (companyId === undefined)
        return presentCursorPage(await listAllNotices(deps, request), presentOwnedNotice)
      await requireCompany(deps, companyId)
      const page = await listNotices(deps, tenantsOf(values, companyId), request)
      return presentCursorPage(page, presentOwnedNotice)
    },
  },
  {
    name: 'notice channel add',
    summary:
      'Tell a company of its notices: by mail, in Slack, or at an HTTPS endpoint, whose secret is shown once.',
    options: {
      company,
      kind: { value: 'KIND', help: `${CHANNEL_KINDS.join(', ')}.`, isRequired: true },
      target,
      name,
      notices: { value: 'KIND,…', help: `Only these: ${TENANT_NOTICES.join(', ')}.` },
      pause: { value: 'TIME', help: 'Shortest time between two messages, 1m to 1d; by default 5m.' },
    },
    details: `A mail address gets a code first: give it to \`notice channel confirm\`. The URL of a chat or an endpoint is a secret,
which other users of the machine see in an argument: better give it on stdin, such as \`< slack-url.txt\`, or wait to be asked.`,
    run: async ({ deps, actor, secrets }, values) => {
      const kind = parseChoice('kind', values.kind, CHANNEL_KINDS)
      if (kind === 'email' && values.target === undefined) throw new UsageError('--target is required.')
      const { channel, secret } = await addChannel(deps, values.company, actor, {
        kind,
        name: nameOf(values.name),
        target: values.target ?? (await readUrl(secrets)),
        noticeKinds: filterByAny(values, 'notices', TENANT_NOTICES),
        pauseMs: pauseOf(values),
      })
      return { ...presentChannel(channel), ...(secret !== undefined && { secret }) }
    },
  },
  {
    name: 'notice channel change',
    summary: 'Change what a channel is told, how often and where, or switch it off and on.',
    options: {
      company,
      id,
      name,
      notices: { value: 'KIND,…', help: `Only these, or all: ${TENANT_NOTICES.join(', ')}.` },
      pause: { value: 'TIME', help: 'Shortest time between two messages, 1m to 1d.' },
      active: { value: 'BOOL', help: 'false: it is told nothing, not even what waits for it, until true.' },
      target: { value: 'TARGET', help: 'Another mail address, which gets a code first, or another URL.' },
      'new-url': {
        help: 'Another URL, which a terminal asks for, or stdin is read. The signing secret stays.',
      },
    },
    run: async ({ deps, actor, secrets }, values) => {
      const { name, notices, active, target: given } = values
      const asksForUrl = isGiven(values, 'new-url')
      if (asksForUrl && given !== undefined) throw new UsageError('Give either --target or --new-url.')
      const target = asksForUrl ? await readUrl(secrets) : given
      const pauseMs = pauseOf(values)
      const changed = await updateChannel(deps, values.company, actor, values.id, {
        ...(name !== undefined && { name: nameOf(name) }),
        ...(notices !== undefined && {
          noticeKinds: notices === 'all' ? null : (filterByAny(values, 'notices', TENANT_NOTICES) ?? null),
        }),
        ...(pauseMs !== undefined && { pauseMs }),
        ...(active !== undefined && { isActive: parseBoolean('active', active) }),
        ...(target !== undefined && { target }),
      })
      return presentChannel(changed)
    },
  },
  {
    name: 'notice channel confirm',
    summary: 'Confirm a mail address by the code that was mailed to it.',
    options: { company, id, code: { value: 'CODE', help: 'The eight digits.', isRequired: true } },
    run: async ({ deps, actor }, values) =>
      presentChannel(await confirmChannel(deps, values.company, actor, values.id, values.code)),
  },
  {
    name: 'notice channel list',
    summary: 'List where a company is told of its notices, and what does not work since when.',
    options: { company },
    columns:
      'id, kind, name, target, state, pause_seconds, last_sent_at, last_test_at, failing_since, last_error',
    run: async ({ deps }, values) =>
      presentWholeList(await listChannels(deps, values.company), presentChannel),
  },
  {
    name: 'notice channel test',
    summary: 'Send a test through a worker and show the real answer. Success switches a channel on again.',
    options: { company, id },
    run: ({ deps }, values) => testChannel(deps, values.company, values.id),
  },
  {
    name: 'notice channel remove',
    summary: 'Remove a channel, with what waits for it.',
    options: { company, id, yes: yesOption },
    run: async (context, values) => {
      const what = `${values.id} is told nothing any more, not even what waits for it`
      await confirm(context, values, { what, otherwise: 'Nothing was removed.' })
      return removeChannel(context.deps, values.company, context.actor, values.id)
    },
  },
])

const nameOf = (name = ''): string | null => (name === '' ? null : name)

/** @throws ApiError VALIDATION_ERROR */
function pauseOf({ pause }: Values): number | undefined {
  const pauseMs = pause === undefined ? undefined : parseDurationWithin(pause, CHANNEL_PAUSE)
  if (pause !== undefined && pauseMs === undefined)
    throw invalid('--pause must be a duration from 1m to 1d, such as 10m.')
  return pauseMs
}

/** Reads the URL from the terminal or stdin: other users of the machine can see arguments. @throws UsageError */
const readUrl = async (secrets: Secrets): Promise<string> => (await secrets.read('URL: ', '--target')).trim()
