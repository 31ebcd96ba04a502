import { Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { Copy } from '../common/ui/copy.tsx'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { curlText } from './curl.ts'
import { JsonTree } from './json-tree.tsx'
import { requestText } from './request-text.ts'
import { VerifyDialog } from './verify-dialog.tsx'

/** The request: its payload as tree and as it is sent, and what can be done with it. */
export function Payload({ delivery, webhook }: { delivery: DeliveryDetail; webhook: Webhook | undefined }) {
  const [isVerifying, setVerifying] = useState(false)
  const { payload, event_id: eventId } = delivery
  if (payload === undefined) return <Text>The event was deleted after its time of keeping.</Text>
  // The service writes payloads with JSON.stringify, so these are the bytes that it signs and sends.
  const body = JSON.stringify(payload)
  const request = webhook && { url: webhook.url, eventId, body, headerNames: Object.keys(webhook.headers) }
  return (
    <Stack>
      <Group gap="xs">
        <Copy text={body} what="payload" label="Copy payload" />
        {request && <Copy text={curlText(request)} what="as curl" label="Copy as curl" />}
        <Button size="compact-sm" variant="default" onClick={() => setVerifying(true)}>
          Verify a signature
        </Button>
      </Group>
      <Tabs defaultValue="tree" keepMounted={false}>
        <Tabs.List mb="xs">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">
          <JsonTree value={payload} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <ForeignBlock label="Payload as it is sent" text={body} />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          {request && <ForeignBlock label="Request" text={requestText(request)} />}
        </Tabs.Panel>
      </Tabs>
      {isVerifying && <VerifyDialog eventId={eventId} body={body} onClose={() => setVerifying(false)} />}
    </Stack>
  )
}
