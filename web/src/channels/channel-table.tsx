import { Button, Group } from '@mantine/core'
import type { Channel } from '../common/api/wire.ts'
import { inWords } from '../common/format/durations.ts'
import { DataTable, Row, type Column } from '../common/ui/data-table.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS } from '../notices/notice-kinds.ts'
import { nameOf } from './channel-fields.tsx'
import { ChannelState } from './channel-state.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.channel,
  texts.told,
  texts.pause,
  texts.state,
  texts.lastMessage,
  { name: texts.actions, isControl: true },
]

type Props = {
  readonly channels: readonly Channel[]
  readonly mayWrite: boolean
  /** The channel whose test is under way. */
  readonly testing: string | undefined
  readonly onTest: (channel: Channel) => void
  readonly onChange: (channel: Channel) => void
  readonly onConfirm: (channel: Channel) => void
  readonly onRemove: (channel: Channel) => void
}

export function ChannelTable({ channels, mayWrite, testing, onTest, onChange, onConfirm, onRemove }: Props) {
  const button = (channel: Channel, name: string, act: (channel: Channel) => void, isBusy = false) => (
    <Button
      size="compact-sm"
      variant="default"
      loading={isBusy}
      disabled={testing !== undefined && !isBusy}
      aria-label={`${name} ${nameOf(channel)}`}
      onClick={() => act(channel)}
    >
      {name}
    </Button>
  )
  return (
    <DataTable label={texts.channels} columns={COLUMNS} isTall>
      {channels.map((channel) => (
        <Row
          key={channel.id}
          cells={[
            <div key="channel">
              <ForeignText text={nameOf(channel)} limit={60} />
              <span className="second-line">
                {texts.kinds[channel.kind]}
                {channel.name !== null && (
                  <>
                    {' '}
                    <ForeignText text={channel.target} limit={60} />
                  </>
                )}
              </span>
            </div>,
            <Told key="told" kinds={channel.notice_kinds} />,
            texts.atMostOne({ span: inWords(channel.pause_seconds) }),
            <ChannelState key="state" channel={channel} />,
            <LastMessage key="last" channel={channel} />,
            mayWrite ? (
              <Group key="actions" gap="xs" wrap="nowrap">
                {channel.state === 'unconfirmed'
                  ? button(channel, texts.enterCode, onConfirm)
                  : button(channel, texts.test, onTest, testing === channel.id)}
                {button(channel, texts.change, onChange)}
                {button(channel, texts.remove, onRemove)}
              </Group>
            ) : (
              '–'
            ),
          ]}
        />
      ))}
    </DataTable>
  )
}

function LastMessage({ channel }: { channel: Channel }) {
  const { last_sent_at, last_test_at, last_test_arrived } = channel
  const test = last_test_arrived ? texts.lastTest : texts.lastTestFailed
  return (
    <div>
      <When at={last_sent_at} none={texts.never} />
      {last_test_arrived !== null && (
        <span className="second-line">{test({ when: <When at={last_test_at} /> })}</span>
      )}
    </div>
  )
}

function Told({ kinds }: { kinds: Channel['notice_kinds'] }) {
  if (kinds === null) return <>{texts.everything}</>
  const names = kinds.map((kind) => NOTICE_KINDS[kind][1])
  return (
    <span title={names.join(', ')}>
      {names.length === 1 ? names[0] : texts.some({ kinds: names.length })}
    </span>
  )
}
