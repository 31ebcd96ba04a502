import { Alert, Button } from '@mantine/core'
import type { Delivery, DeliveryDetail } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { IS_POSSIBLE } from './send-many.ts'
import { texts } from './texts.ts'
import type { HeadAction } from './use-retry.tsx'

/** Resends the event of a delivery that has ended, then opens the new delivery. */
export function useResend(delivery: DeliveryDetail | undefined): HeadAction {
  const mayResend = useMay('deliveries.resend')
  const resend = useChange<Delivery>()
  if (!delivery) return { button: null, outcome: null }
  const path = `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/resend`
  return {
    button: mayResend && IS_POSSIBLE.resend(delivery) && (
      <Button
        variant="default"
        loading={resend.isPending}
        onClick={() => resend.mutate({ method: 'POST', path, body: {} })}
      >
        {texts.resend}
      </Button>
    ),
    outcome: (
      <>
        {resend.error && <RefusalNotice error={resend.error} />}
        <div role="status" className="send-outcome">
          {resend.data && (
            <Alert variant="outline" color="blue" title={texts.resentAsNew}>
              {texts.canDropTheRepeat({
                link: (
                  <TextLink href={`/deliveries/${resend.data.webhook_id}/${resend.data.id}`}>
                    {texts.lookAtTheNewDelivery}
                  </TextLink>
                ),
              })}
            </Alert>
          )}
        </div>
      </>
    ),
  }
}
