import { Alert, Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { DeliveryDetail, RetryResult } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { outcomeOfRetry } from './retry-outcome.ts'
import { texts } from './texts.ts'

/** The button for the head of a page, and the outcome for the page below it. */
export type HeadAction = { readonly button: ReactNode; readonly outcome: ReactNode }

/** Retries a delivery that has not arrived, and shows the outcome. */
export function useRetry(delivery: DeliveryDetail | undefined): HeadAction {
  const mayRetry = useMay('deliveries.retry')
  const retry = useChange<RetryResult>()
  const [asked, setAsked] = useState<{ attempts: number; message: string }>()
  if (!delivery) return { button: null, outcome: null }
  const path = `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/retry`
  const outcome = asked && outcomeOfRetry(delivery, asked.attempts, asked.message)
  const send = () =>
    retry.mutate(
      { method: 'POST', path, body: {} },
      { onSuccess: ({ message }) => setAsked({ attempts: delivery.attempts, message }) },
    )
  return {
    button: delivery.status !== 'success' && mayRetry && (
      <Button loading={retry.isPending} onClick={send}>
        {texts.retryNow}
      </Button>
    ),
    outcome: (
      <>
        {retry.error && <RefusalNotice error={retry.error} />}
        <div role="status" className="send-outcome">
          {outcome && (
            <Alert variant="outline" color={outcome.color} title={outcome.title}>
              {outcome.text}
            </Alert>
          )}
        </div>
      </>
    ),
  }
}
