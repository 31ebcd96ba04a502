import { Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { Copy } from '../common/ui/copy.tsx'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { curlText } from './curl.ts'
import { JsonTree } from './json-tree.tsx'
import { requestText } from './request-text.ts'
import { VerifyDialog } from './verify-dialog.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly payload: DeliveryDetail['payload'] | undefined
  readonly eventId: string
  /** The webhook of the delivery. Without it, no request can be shown. */
  readonly webhook?: Webhook | undefined
}

/** The request of a delivery: its payload as a tree and as it was sent, and the actions for it. */
export function Payload({ eventId, payload, webhook }: Props) {
  const [isVerifying, setVerifying] = useState(false)
  if (payload === undefined) return <Text>{texts.eventDeleted}</Text>
  // The service writes payloads with JSON.stringify. So these are the bytes that it signs and sends.
  const body = JSON.stringify(payload)
  const request = webhook && { url: webhook.url, eventId, body, headerNames: Object.keys(webhook.headers) }
  return (
    <Stack>
      <Group gap="xs">
        <Copy text={body} what={texts.payload} label={texts.copyPayload} />
        {request && <Copy text={curlText(request)} what={texts.asCurl} label={texts.copyAsCurl} />}
        <Button size="compact-sm" variant="default" onClick={() => setVerifying(true)}>
          {texts.verifyASignature}
        </Button>
      </Group>
      <Tabs defaultValue="tree" keepMounted={false}>
        <Tabs.List mb="xs">
          <Tabs.Tab value="tree">{texts.tree}</Tabs.Tab>
          <Tabs.Tab value="raw">{texts.raw}</Tabs.Tab>
          {request && <Tabs.Tab value="request">{texts.request}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="tree">
          <JsonTree value={payload} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <ForeignBlock label={texts.payloadAsItIsSent} text={body} />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          {request && <ForeignBlock label={texts.request} text={requestText(request)} />}
        </Tabs.Panel>
      </Tabs>
      {isVerifying && <VerifyDialog eventId={eventId} body={body} onClose={() => setVerifying(false)} />}
    </Stack>
  )
}
