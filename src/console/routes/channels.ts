import Joi from 'joi'
import { dataOf, noBody } from '../../api/schemas/common.ts'
import { text } from '../../domain/fields/rules.ts'
import { parseDurationMs } from '../../domain/durations.ts'
import { CHANNEL_KINDS, CHANNEL_PAUSE, type ChannelKind } from '../../domain/notice/channel.ts'
import { TENANT_NOTICES, type NoticeKind } from '../../domain/notice/notice.ts'
import {
  addChannel,
  confirmChannel,
  listChannels,
  removeChannel,
  type AddedChannel,
} from '../../operations/notice/channels.ts'
import { testChannel } from '../../operations/notice/test-channel.ts'
import { presentChannel } from '../../presenters/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import { channelSchema, channelTest, createdChannel, removedChannel } from '../answers.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

const secondsOf = (duration: string): number => (parseDurationMs(duration) ?? 0) / 1000

type NewChannelBody = {
  kind: ChannelKind
  target: string
  notice_kinds?: readonly NoticeKind[]
  pause_seconds?: number
}

/** Without `notice_kinds` the channel is told everything. */
const newChannelBody = Joi.object<NewChannelBody>({
  kind: Joi.string()
    .valid(...CHANNEL_KINDS)
    .required(),
  target: text(2_048).required(),
  notice_kinds: Joi.array()
    .items(Joi.string().valid(...TENANT_NOTICES))
    .min(1)
    .unique(),
  pause_seconds: Joi.number()
    .integer()
    .min(secondsOf(CHANNEL_PAUSE.shortest))
    .max(secondsOf(CHANNEL_PAUSE.longest)),
}).id('NewChannel')

const created = ({ channel, secret }: AddedChannel) => ({
  status: 201,
  body: { data: { ...presentChannel(channel), secret: secret ?? null } },
})

/** Where the company is told of its notices. The channels are the same in both environments. */
export function channelRoutes(deps: Deps): ConsoleRoute[] {
  const list = defineConsoleRoute({
    method: 'GET',
    cost: 'cheap',
    path: '/channels',
    action: 'channels.read',
    answers: { 200: { schema: dataOf(Joi.array().items(channelSchema)) } },
    handle: async ({ caller: { tenant } }) => ({
      body: { data: (await listChannels(deps, tenant.companyId)).map(presentChannel) },
    }),
  })

  const add = defineConsoleRoute({
    method: 'POST',
    cost: 'write',
    path: '/channels',
    action: 'channels.write',
    needsPassword: true,
    body: newChannelBody,
    answers: { 201: { schema: dataOf(createdChannel) } },
    handle: async ({ caller: { tenant, actor }, body, hold }) => {
      const { kind, target, notice_kinds: noticeKinds, pause_seconds: pause } = body
      const wanted = { kind, target, noticeKinds, pauseMs: pause === undefined ? pause : pause * 1000 }
      return created(await addChannel(deps, tenant.companyId, actor, wanted, { hold, toAnswer: created }))
    },
  })

  const confirm = defineConsoleRoute({
    method: 'POST',
    cost: 'write',
    path: '/channels/:channelId/confirm',
    action: 'channels.write',
    body: Joi.object<{ code: string }>({ code: text(64).required() }),
    answers: { 200: { schema: dataOf(channelSchema) } },
    handle: async ({ caller: { tenant, actor }, params, body }) => {
      const id = params['channelId'] ?? ''
      return {
        body: { data: presentChannel(await confirmChannel(deps, tenant.companyId, actor, id, body.code)) },
      }
    },
  })

  const test = defineConsoleRoute({
    method: 'POST',
    cost: 'write',
    path: '/channels/:channelId/test',
    action: 'channels.write',
    body: noBody,
    answers: { 200: { schema: dataOf(channelTest) } },
    handle: async ({ caller: { tenant }, params }) => {
      const { success, answer } = await testChannel(deps, tenant.companyId, params['channelId'] ?? '')
      return { body: { data: { success, answer } } }
    },
  })

  const remove = defineConsoleRoute({
    method: 'DELETE',
    cost: 'write',
    path: '/channels/:channelId',
    action: 'channels.write',
    answers: { 200: { schema: dataOf(removedChannel) } },
    handle: async ({ caller: { tenant, actor }, params }) => ({
      body: { data: await removeChannel(deps, tenant.companyId, actor, params['channelId'] ?? '') },
    }),
  })

  return [list, add, confirm, test, remove]
}
