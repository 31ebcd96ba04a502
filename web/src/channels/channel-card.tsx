import { Button } from '@mantine/core'
import type { Channel, ChannelKind } from '../common/api/wire.ts'
import { inWords } from '../common/format/durations.ts'
import { Card } from '../common/ui/card.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { IconBrandSlack, IconMail, IconWebhook } from '../common/ui/icons.ts'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS } from '../notices/notice-kinds.ts'
import { nameOf } from './channel-fields.tsx'
import { ChannelState } from './channel-state.tsx'
import { texts } from './texts.ts'

const ICONS: Readonly<Record<ChannelKind, typeof IconMail>> = {
  slack: IconBrandSlack,
  email: IconMail,
  https: IconWebhook,
}

type Props = {
  readonly channel: Channel
  readonly mayWrite: boolean
  /** The id of the channel whose test is under way. */
  readonly testing: string | undefined
  readonly onTest: (channel: Channel) => void
  readonly onChange: (channel: Channel) => void
  readonly onConfirm: (channel: Channel) => void
  readonly onRemove: (channel: Channel) => void
}

/** One channel: its target, whether it works, which notices it gets, and the actions. */
export function ChannelCard({ channel, mayWrite, testing, onTest, onChange, onConfirm, onRemove }: Props) {
  const { id, kind, name, target, notice_kinds: kinds, pause_seconds: pause, state } = channel
  const Icon = ICONS[kind]
  const button = (label: string, act: (channel: Channel) => void, isBusy = false) => (
    <Button
      size="xs"
      variant="default"
      loading={isBusy}
      disabled={testing !== undefined && !isBusy}
      aria-label={`${label} ${nameOf(channel)}`}
      onClick={() => act(channel)}
    >
      {label}
    </Button>
  )
  return (
    <Card
      id={id}
      title={<ForeignText text={nameOf(channel)} limit={60} />}
      note={
        <>
          {texts.kinds[kind]} {name !== null && <ForeignText text={target} limit={60} />}
        </>
      }
      icon={
        <span className="tile" aria-hidden="true">
          <Icon size={20} stroke={1.75} />
        </span>
      }
      action={<ChannelState channel={channel} />}
    >
      <Facts
        isList
        facts={[
          [
            texts.told,
            kinds === null ? texts.everything : kinds.map((each) => NOTICE_KINDS[each][1]).join(', '),
          ],
          [texts.pause, texts.atMostOne({ span: inWords(pause) })],
          [texts.lastMessage, <LastMessage key="last" channel={channel} />],
        ]}
      />
      {mayWrite && (
        <div className="card-foot">
          {state === 'unconfirmed'
            ? button(texts.enterCode, onConfirm)
            : button(texts.test, onTest, testing === id)}
          {button(texts.change, onChange)}
          {button(texts.remove, onRemove)}
        </div>
      )}
    </Card>
  )
}

function LastMessage({ channel: { last_sent_at, last_test_at, last_test_arrived } }: Pick<Props, 'channel'>) {
  const test = last_test_arrived ? texts.lastTest : texts.lastTestFailed
  return (
    <>
      <When at={last_sent_at} none={texts.never} />
      {last_test_arrived !== null && (
        <span className="second-line">{test({ when: <When at={last_test_at} /> })}</span>
      )}
    </>
  )
}
