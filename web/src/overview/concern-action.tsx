import { Button } from '@mantine/core'
import type { Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useSendTest } from '../webhooks/use-send-test.ts'
import { texts } from './texts.ts'

/**
 * A test event, where the endpoint fails. What the service deactivated is activated on its own page: there the offer of
 * missed events stays, while the line here goes.
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
