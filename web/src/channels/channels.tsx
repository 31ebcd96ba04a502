import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Channel, ChannelTest, CreatedChannel } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { SecretShown } from '../webhooks/secret-shown.tsx'
import { AddChannel } from './add-channel.tsx'
import { ChangeChannel } from './change-channel.tsx'
import { nameOf } from './channel-fields.tsx'
import { ChannelCard } from './channel-card.tsx'
import { ConfirmChannel } from './confirm-channel.tsx'
import { RemoveChannel } from './remove-channel.tsx'
import { TestAnswer } from './test-answer.tsx'
import { texts } from './texts.ts'

/** The channels through which the company is told of its notices. For admins. */
export default function Channels() {
  return (
    <Permitted action="channels.read" title={texts.channels}>
      <ChannelList />
    </Permitted>
  )
}

type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'secret'; readonly secret: string }
  | { readonly dialog: 'change' | 'confirm' | 'remove'; readonly channel: Channel }

/** How often the state of the channels is read anew. */
const READ_EVERY_MS = 30_000

function ChannelList() {
  const mayWrite = useMay('channels.write')
  const list = useOne<readonly Channel[]>('/channels', { everyMs: READ_EVERY_MS })
  const [open, setOpen] = useState<Open>()
  const [tested, setTested] = useState<Channel>()
  const test = useChange<ChannelTest>()
  const close = () => setOpen(undefined)
  const addButton = mayWrite && <Button onClick={() => setOpen({ dialog: 'add' })}>{texts.addChannel}</Button>
  const send = (channel: Channel) => {
    setTested(channel)
    test.mutate({ method: 'POST', path: `/channels/${channel.id}/test`, body: {} })
  }
  const afterAdding = (channel: CreatedChannel) => {
    if (channel.secret !== null) setOpen({ dialog: 'secret', secret: channel.secret })
    else if (channel.state === 'unconfirmed') setOpen({ dialog: 'confirm', channel })
    else close()
  }
  const afterChange = (channel: Channel) => {
    if (channel.state === 'unconfirmed') setOpen({ dialog: 'confirm', channel })
    else close()
  }
  const channels = list.data?.item ?? []
  const reload = () =>
    setOpen((was) => {
      const now = was && 'channel' in was && channels.find(({ id }) => id === was.channel.id)
      return now ? { dialog: 'change', channel: now } : undefined
    })
  return (
    <div className="narrow">
      <PageTitle title={texts.channels}>{channels.length > 0 && addButton}</PageTitle>
      <Text className="quiet">{texts.meaning}</Text>
      <div role="status">
        {tested && test.data && <TestAnswer target={nameOf(tested)} test={test.data} />}
      </div>
      {test.error && <RefusalNotice error={test.error} />}
      <Loaded reading={list}>
        {() =>
          channels.length === 0 ? (
            <EmptyState title={texts.empty} action={addButton}>
              {texts.emptyWhy}
            </EmptyState>
          ) : (
            channels.map((channel) => (
              <ChannelCard
                key={channel.id}
                channel={channel}
                mayWrite={mayWrite}
                testing={test.isPending ? tested?.id : undefined}
                onTest={send}
                onChange={() => setOpen({ dialog: 'change', channel })}
                onConfirm={() => setOpen({ dialog: 'confirm', channel })}
                onRemove={() => setOpen({ dialog: 'remove', channel })}
              />
            ))
          )
        }
      </Loaded>
      {open?.dialog === 'add' && <AddChannel onAdded={afterAdding} onClose={close} />}
      {open?.dialog === 'secret' && (
        <SecretShown title={texts.storeSecret} secret={open.secret} onDone={close} />
      )}
      {open?.dialog === 'change' && (
        <ChangeChannel
          key={open.channel.version}
          channel={open.channel}
          onChanged={afterChange}
          onReload={reload}
          onClose={close}
        />
      )}
      {open?.dialog === 'confirm' && <ConfirmChannel channel={open.channel} onClose={close} />}
      {open?.dialog === 'remove' && <RemoveChannel channel={open.channel} onClose={close} />}
    </div>
  )
}
