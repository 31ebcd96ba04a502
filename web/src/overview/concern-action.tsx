import { Button } from '@mantine/core'
import type { Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useSendTest } from '../webhooks/use-send-test.ts'
import { texts } from './texts.ts'

/**
 * A button that sends a test event to a failing endpoint. A webhook that the service deactivated is activated on its own
 * page instead. That page can offer the missed events, while the line here disappears.
 */
export function ConcernAction({ webhook }: { webhook: Webhook }) {
  const mayTest = useMay('webhooks.test')
  const { send, isBusy } = useSendTest()
  if (!mayTest || !webhook.is_active) return null
  return (
    <Button size="xs" variant="default" loading={isBusy} onClick={() => send(webhook)}>
      {texts.sendTest}
    </Button>
  )
}
