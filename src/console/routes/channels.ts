import Joi from 'joi'
import { ifMatch } from '../../api/routing/precondition.ts'
import { dataOf, noBody } from '../../api/schemas/common.ts'
import { text } from '../../domain/fields/rules.ts'
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
import { channelChangeBody, fieldsOf, newChannelBody } from '../channel-bodies.ts'
import { requirePassword } from '../console-sessions.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

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
      const wanted = fieldsOf(body) as NewChannel
      return created(await addChannel(deps, tenant.companyId, actor, wanted, { hold, toAnswer: created }))
    },
  })

  const change = defineConsoleRoute({
    method: 'PATCH',
    cost: 'write',
    path: '/channels/:channelId',
    action: 'channels.write',
    body: channelChangeBody,
    answers: { 200: { schema: dataOf(channelSchema) } },
    handle: async ({ caller: { tenant, actor, session }, params, body, header }) => {
      const id = params['channelId'] ?? ''
      const requireVersion = ifMatch(header('If-Match'))
      const changed = await updateChannel(
        deps,
        tenant.companyId,
        actor,
        id,
        fieldsOf(body),
        (channel, changes) => {
          requireVersion(channel)
          if (changes.target !== undefined) requirePassword(session)
        },
      )
      return { body: { data: presentChannel(changed) } }
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

  return [list, add, change, confirm, test, remove]
}
