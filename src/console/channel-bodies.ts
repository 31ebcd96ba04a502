import Joi from 'joi'
import { parseDurationMs } from '../domain/durations.ts'
import { camelCased } from '../domain/fields/case.ts'
import { text } from '../domain/fields/rules.ts'
import { CHANNEL_KINDS, CHANNEL_PAUSE, type ChannelKind } from '../domain/notice/channel.ts'
import { TENANT_NOTICES, type NoticeKind } from '../domain/notice/notice.ts'

const secondsOf = (duration: string): number => (parseDurationMs(duration) ?? 0) / 1000

type ChannelBody = {
  name?: string | null
  target?: string
  notice_kinds?: readonly NoticeKind[] | null
  pause_seconds?: number
}

type NewChannelBody = ChannelBody & { kind: ChannelKind; target: string }

/** Without `notice_kinds`, or with null, the channel is told everything. */
const channelFields = {
  name: text(255).allow(null),
  target: text(2_048),
  notice_kinds: Joi.array()
    .items(Joi.string().valid(...TENANT_NOTICES))
    .min(1)
    .unique()
    .allow(null),
  pause_seconds: Joi.number()
    .integer()
    .min(secondsOf(CHANNEL_PAUSE.shortest))
    .max(secondsOf(CHANNEL_PAUSE.longest)),
}

export const newChannelBody = Joi.object<NewChannelBody>({
  ...channelFields,
  kind: Joi.string()
    .valid(...CHANNEL_KINDS)
    .required(),
  target: channelFields.target.required(),
}).id('NewChannel')

export const channelChangeBody = Joi.object<ChannelBody & { is_active?: boolean }>({
  ...channelFields,
  is_active: Joi.boolean(),
}).id('ChannelChange')

/** The fields of a body under our own names, the pause in milliseconds. */
export const fieldsOf = ({ pause_seconds: pause, ...body }: ChannelBody) => ({
  ...camelCased(body),
  ...(pause !== undefined && { pauseMs: pause * 1000 }),
})
