import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Delivery } from '../common/api/deliveries.js'
import { useMay } from '../common/session/context.js'
import { useChange } from '../common/session/queries.js'
import { RefusalNotice } from '../common/ui/refusal-notice.js'

/** Sends a delivery again that has not arrived. */
export function RetryButton({ delivery }: { delivery: Delivery }) {
  const mayRetry = useMay('deliveries.retry')
  const retry = useChange<{ success: boolean; message: string }>()
  if (delivery.status === 'success' || !mayRetry) return null
  const path = `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/retry`
  return (
    <>
      <Button
        loading={retry.isPending}
        onClick={() =>
          retry.mutate(
            { method: 'POST', path, body: {} },
            { onSuccess: ({ message }) => notifications.show({ message }) },
          )
        }
      >
        Retry now
      </Button>
      {retry.error && <RefusalNotice error={retry.error} />}
    </>
  )
}
