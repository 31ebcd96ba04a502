import Joi from 'joi'
import { ifMatch } from '../../api/routing/precondition.ts'
import { dataOf, noBody, oneOf } from '../../api/schemas/common.ts'
import { parseDurationMs } from '../../domain/durations.ts'
import { camelCased } from '../../domain/fields/case.ts'
import { text } from '../../domain/fields/rules.ts'
import { CHANNEL_KINDS, CHANNEL_PAUSE } from '../../domain/notice/channel.ts'
import { TENANT_NOTICES } from '../../domain/notice/notice.ts'
import {
  addChannel,
  listChannels,
  removeChannel,
  type AddedChannel,
  type NewChannel,
} from '../../operations/notice/channels.ts'
import { confirmChannel, testChannel } from '../../operations/notice/verify-channel.ts'
import { updateChannel } from '../../operations/notice/change-channel.ts'
import { presentChannel } from '../../presenters/notices.ts'
import type { Deps } from '../../deps/deps.ts'
import { channelSchema, channelTest, createdChannel, removedChannel } from '../answers.ts'
import { requirePassword } from '../console-sessions.ts'
import { presented, withData } from '../../api/routing/route.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'

const secondsOf = (duration: string): number => (parseDurationMs(duration) ?? 0) / 1000

type ChannelBody = Record<string, unknown> & { pause_seconds?: number }

/** A channel whose `notice_kinds` are null gets every notice. So does a new channel without the field. */
const channelFields = {
  name: text(255).allow(null),
  target: text(2_048),
  notice_kinds: Joi.array().items(oneOf(TENANT_NOTICES)).min(1).unique().allow(null),
  pause_seconds: Joi.number()
    .integer()
    .min(secondsOf(CHANNEL_PAUSE.shortest))
    .max(secondsOf(CHANNEL_PAUSE.longest)),
}

const newChannelBody = Joi.object<ChannelBody>({
  ...channelFields,
  kind: oneOf(CHANNEL_KINDS).required(),
  target: channelFields.target.required(),
}).id('NewChannel')

const channelChangeBody = Joi.object<ChannelBody>({
  ...channelFields,
  is_active: Joi.boolean(),
}).id('ChannelChange')

/** The fields of a body, with the names that our code uses. The pause is in milliseconds. */
const fieldsOf = ({ pause_seconds: pause, ...body }: ChannelBody) => ({
  ...camelCased(body),
  ...(pause !== undefined && { pauseMs: pause * 1000 }),
})

const added = presented(
  ({ channel, secret }: AddedChannel) => ({ ...presentChannel(channel), secret: secret ?? null }),
  201,
)

/** The channels to which notices of the company are sent. They are the same in both environments. */
export function channelRoutes(deps: Deps): ConsoleRoute[] {
  const list = consoleRoute('GET', '/channels', 'cheap', 'channels.read', {
    answers: { 200: { schema: dataOf(Joi.array().items(channelSchema)) } },
    handle: async ({ caller: { tenant } }) =>
      withData((await listChannels(deps, tenant.companyId)).map(presentChannel)),
  })

  const add = consoleRoute('POST', '/channels', 'write', 'channels.write', {
    needsPassword: true,
    body: newChannelBody,
    answers: { 201: { schema: dataOf(createdChannel) } },
    handle: ({ caller: { tenant, actor }, body, answerOnce }) => {
      const wanted = fieldsOf(body) as NewChannel
      return answerOnce(added, (kept) => addChannel(deps, tenant.companyId, actor, wanted, kept))
    },
  })

  const change = consoleRoute('PATCH', '/channels/:channelId', 'write', 'channels.write', {
    body: channelChangeBody,
    answers: { 200: { schema: dataOf(channelSchema) } },
    handle: async ({ caller: { tenant, actor, session }, params: { channelId: id = '' }, body, header }) => {
      const requireVersion = ifMatch(header('If-Match'))
      const wanted = fieldsOf(body)
      const changed = await updateChannel(deps, tenant.companyId, actor, id, wanted, (channel, changes) => {
        requireVersion(channel)
        if (changes.target !== undefined) requirePassword(session)
      })
      return withData(presentChannel(changed))
    },
  })

  const confirm = consoleRoute('POST', '/channels/:channelId/confirm', 'write', 'channels.write', {
    body: Joi.object<{ code: string }>({ code: text(64).required() }),
    answers: { 200: { schema: dataOf(channelSchema) } },
    handle: async ({ caller: { tenant, actor }, params: { channelId = '' }, body: { code } }) =>
      withData(presentChannel(await confirmChannel(deps, tenant.companyId, actor, channelId, code))),
  })

  const test = consoleRoute('POST', '/channels/:channelId/test', 'write', 'channels.write', {
    body: noBody,
    answers: { 200: { schema: dataOf(channelTest) } },
    handle: async ({ caller: { tenant }, params: { channelId = '' } }) => {
      const { success, answer } = await testChannel(deps, tenant.companyId, channelId)
      return withData({ success, answer })
    },
  })

  const remove = consoleRoute('DELETE', '/channels/:channelId', 'write', 'channels.write', {
    answers: { 200: { schema: dataOf(removedChannel) } },
    handle: async ({ caller: { tenant, actor }, params: { channelId = '' } }) =>
      withData(await removeChannel(deps, tenant.companyId, actor, channelId)),
  })

  return [list, add, change, confirm, test, remove]
}
