import { parseDurationWithin } from '../../domain/durations.ts'
import { ApiError } from '../../domain/errors.ts'
import { CHANNEL_KINDS, CHANNEL_PAUSE } from '../../domain/notice/channel.ts'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { addChannel, confirmChannel, listChannels, removeChannel } from '../../operations/notice/channels.ts'
import { testChannel } from '../../operations/notice/test-channel.ts'
import { presentChannel } from '../../presenters/channels.ts'
import { presentWholeList } from '../../presenters/pagination.ts'
import {
  required,
  UsageError,
  type Command,
  type CommandContext,
  type Secrets,
  type Values,
} from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { company } from '../options.ts'
import { filterByAny, parseChoice } from '../values.ts'

const group = 'Notices'
const id = { value: 'ID', help: 'The channel, nch_….', isRequired: true }
const target = { value: 'ADDRESS', help: 'The mail address. A terminal asks for a URL, or stdin is read.' }
const YES = 'yes'

export const noticeChannelCommands: readonly Command[] = [
  {
    name: 'notice channel add',
    group,
    summary:
      'Tell a company of its notices: by mail, in Slack, or at an HTTPS endpoint, whose secret is shown once.',
    options: {
      company,
      kind: { value: 'KIND', help: `${CHANNEL_KINDS.join(', ')}.`, isRequired: true },
      target,
      notices: { value: 'KIND,…', help: `Only these: ${TENANT_NOTICES.join(', ')}.` },
      pause: { value: 'TIME', help: 'Shortest time between two messages, 1m to 1d; by default 5m.' },
    },
    details: `A mail address gets a code first: give it to \`notice channel confirm\`. The URL of a chat or an endpoint is a secret: it
comes from stdin, such as \`< slack-url.txt\`, or is asked for.`,
    run: add,
  },
  {
    name: 'notice channel confirm',
    group,
    summary: 'Confirm a mail address by the code that was mailed to it.',
    options: { company, id, code: { value: 'CODE', help: 'The eight digits.', isRequired: true } },
    run: async ({ deps, actor }, values) => {
      const [companyId, channel] = idsOf(values)
      return presentChannel(await confirmChannel(deps, companyId, actor, channel, required(values, 'code')))
    },
  },
  {
    name: 'notice channel list',
    group,
    summary: 'List where a company is told of its notices, and what does not work since when.',
    options: { company },
    columns: [
      'id',
      'kind',
      'target',
      'state',
      'pause_seconds',
      'last_sent_at',
      'failing_since',
      'last_error',
    ],
    run: async ({ deps }, values) =>
      presentWholeList(await listChannels(deps, required(values, 'company')), presentChannel),
  },
  {
    name: 'notice channel test',
    group,
    summary: 'Send a test through a worker and show the real answer. Success switches a channel on again.',
    options: { company, id },
    run: ({ deps }, values) => testChannel(deps, ...idsOf(values)),
  },
  {
    name: 'notice channel remove',
    group,
    summary: 'Remove a channel, with what waits for it.',
    options: { company, id, [YES]: yesOption },
    run: remove,
  },
]

const idsOf = (values: Values): [string, string] => [required(values, 'company'), required(values, 'id')]

async function add({ deps, actor, secrets }: CommandContext, values: Values): Promise<unknown> {
  const { pause } = values
  const pauseMs = pause === undefined ? undefined : parseDurationWithin(pause, CHANNEL_PAUSE)
  if (pause !== undefined && pauseMs === undefined)
    throw new ApiError('VALIDATION_ERROR', '--pause must be a duration from 1m to 1d, such as 10m.')
  const kind = parseChoice('kind', required(values, 'kind'), CHANNEL_KINDS)
  const { channel, secret } = await addChannel(deps, required(values, 'company'), actor, {
    kind,
    target: kind === 'email' ? required(values, 'target') : await secretUrlOf(values, secrets),
    noticeKinds: filterByAny(values, 'notices', TENANT_NOTICES),
    pauseMs,
  })
  return { ...presentChannel(channel), ...(secret !== undefined && { secret }) }
}

/** Whoever has the URL may write there, and other users of the machine see arguments. @throws UsageError */
async function secretUrlOf({ target: given }: Values, secrets: Secrets): Promise<string> {
  if (given !== undefined) {
    throw new UsageError(
      '--target takes a mail address: a URL is a secret, which others would see here. Leave it out: a terminal asks for it, or stdin is read.',
    )
  }
  return (await secrets.read('URL: ', 'The URL')).trim()
}

async function remove(context: CommandContext, values: Values): Promise<unknown> {
  const [companyId, channel] = idsOf(values)
  const what = `${channel} is told nothing any more, not even what waits for it`
  await confirm(context, values, { what, flag: YES, otherwise: 'Nothing was removed.' })
  return removeChannel(context.deps, companyId, context.actor, channel)
}
