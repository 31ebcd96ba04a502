import { parseDurationWithin } from '../../domain/durations.ts'
import { ApiError } from '../../domain/errors.ts'
import { CHANNEL_KINDS, CHANNEL_PAUSE } from '../../domain/notice/channel.ts'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import { updateChannel } from '../../operations/notice/change-channel.ts'
import { addChannel } from '../../operations/notice/channels.ts'
import { presentChannel } from '../../presenters/channels.ts'
import { isGiven, required, UsageError, type CommandContext, type Secrets, type Values } from '../command.ts'
import { filterByAny, parseBoolean, parseChoice } from '../values.ts'

/** Adds a channel for notices. */
export async function add({ deps, actor, secrets }: CommandContext, values: Values): Promise<unknown> {
  const kind = parseChoice('kind', required(values, 'kind'), CHANNEL_KINDS)
  const { channel, secret } = await addChannel(deps, required(values, 'company'), actor, {
    kind,
    name: nameOf(values['name']),
    target: kind === 'email' ? required(values, 'target') : await urlOf(values, secrets),
    noticeKinds: filterByAny(values, 'notices', TENANT_NOTICES),
    pauseMs: pauseOf(values),
  })
  return { ...presentChannel(channel), ...(secret !== undefined && { secret }) }
}

/** Changes one. */
export async function change({ deps, actor, secrets }: CommandContext, values: Values): Promise<unknown> {
  const { name, notices, active, target: address } = values
  if (address?.includes('://')) throw urlInArgument()
  const target = isGiven(values, 'new-url') ? await urlOf(values, secrets) : address
  const pauseMs = pauseOf(values)
  const changed = await updateChannel(deps, required(values, 'company'), actor, required(values, 'id'), {
    ...(name !== undefined && { name: nameOf(name) }),
    ...(notices !== undefined && {
      noticeKinds: notices === 'all' ? null : (filterByAny(values, 'notices', TENANT_NOTICES) ?? null),
    }),
    ...(pauseMs !== undefined && { pauseMs }),
    ...(active !== undefined && { isActive: parseBoolean('active', active) }),
    ...(target !== undefined && { target }),
  })
  return presentChannel(changed)
}

const nameOf = (name = ''): string | null => (name === '' ? null : name)

/** @throws ApiError VALIDATION_ERROR */
function pauseOf({ pause }: Values): number | undefined {
  const pauseMs = pause === undefined ? undefined : parseDurationWithin(pause, CHANNEL_PAUSE)
  if (pause !== undefined && pauseMs === undefined)
    throw new ApiError('VALIDATION_ERROR', '--pause must be a duration from 1m to 1d, such as 10m.')
  return pauseMs
}

/** Whoever has the URL may write there, and other users of the machine see arguments. @throws UsageError */
async function urlOf({ target }: Values, secrets: Secrets): Promise<string> {
  if (target !== undefined) throw urlInArgument()
  return (await secrets.read('URL: ', 'The URL')).trim()
}

const urlInArgument = () =>
  new UsageError(
    '--target takes a mail address: a URL is a secret, which others would see here. Leave it out: a terminal asks for it, or stdin is read.',
  )
