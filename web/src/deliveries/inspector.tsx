import { Anchor, Stack, Text } from '@mantine/core'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { useMay, useSession } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RecordName } from '../common/ui/record-name.tsx'
import { Section } from '../common/ui/section.tsx'
import { TestBadge } from '../common/ui/test-badge.tsx'
import { Attempts } from './attempts.tsx'
import { DeliveryStatusBadge } from './delivery-status.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { Payload } from './payload.tsx'
import { IS_POSSIBLE } from './send-many.ts'
import { Summary } from './summary.tsx'
import { texts } from './texts.ts'
import { useResend } from './use-resend.tsx'
import { useRetry } from './use-retry.tsx'

/** How often an open delivery is read again, and one that has ended, because a retry may open it again. */
const OPEN_EVERY_MS = 2_000
const ENDED_EVERY_MS = 15_000

/** The page of one delivery: why it failed, what to do, and each attempt. Beside them its facts and the request. */
export function Inspector({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const path = `/webhooks/${webhookId}/deliveries/${deliveryId}`
  const reading = useOne<DeliveryDetail>(path, {
    everyMs: ({ status }) => (status === 'pending' || status === 'retrying' ? OPEN_EVERY_MS : ENDED_EVERY_MS),
  })
  const webhook = useOne<Webhook>(`/webhooks/${webhookId}`)
  const delivery = reading.data?.item
  const workflow = useWorkflowUrl(deliveryId)
  const [retry, resend] = [useRetry(delivery), useResend(delivery)]
  return (
    <>
      <PageTitle
        title={delivery ? texts.deliveryOf({ eventType: delivery.event_type }) : texts.aDelivery}
        beside={
          delivery && (
            <>
              <RecordName payload={delivery.payload} />
              <DeliveryStatusBadge delivery={delivery} isBadge />
              {delivery.is_test && <TestBadge />}
            </>
          )
        }
      >
        {retry.button}
        {resend.button}
      </PageTitle>
      {retry.outcome}
      {resend.outcome}
      <Loaded reading={reading}>
        {({ item }) => (
          <div className="with-aside">
            <Stack gap="lg">
              <Diagnosis delivery={item} />
              <Section id="attempts" title={texts.attempts}>
                <Attempts delivery={item} />
                <SendingMeans delivery={item} />
              </Section>
              <Section id="sent" title={texts.payloadTitle}>
                <Payload eventId={item.event_id} payload={item.payload} webhook={webhook.data?.item} />
              </Section>
            </Stack>
            <Summary
              delivery={item}
              webhook={webhook.data?.item}
              workflow={workflow && <TemporalLink url={workflow} />}
            />
          </div>
        )}
      </Loaded>
    </>
  )
}

/** Explains how retry and resend differ, as far as the user may use them. */
function SendingMeans({ delivery }: { delivery: DeliveryDetail }) {
  const [mayRetry, mayResend] = [useMay('deliveries.retry'), useMay('deliveries.resend')]
  const lines = [
    ...(mayRetry && IS_POSSIBLE.retry(delivery) ? [texts.retryNowMeans] : []),
    ...(mayResend && IS_POSSIBLE.resend(delivery) ? [texts.resendNowMeans] : []),
  ]
  return lines.length > 0 && <Text className="quiet">{lines.join(' ')}</Text>
}

/**
 * A link to the delivery's workflow, if the operator has set the address of Temporal's UI. It is for those who operate the
 * service, not for every member.
 */
function useWorkflowUrl(deliveryId: string): string | undefined {
  const { user, settings } = useSession()
  const { temporal_ui_url: ui, temporal_namespace: namespace } = settings
  return ui === null || user.role !== 'admin'
    ? undefined
    : `${ui}/namespaces/${namespace}/workflows/${deliveryId}`
}

const TemporalLink = ({ url }: { url: string }) => (
  <Anchor href={url} rel="noreferrer" target="_blank" underline="always" inherit>
    {texts.workflowInTemporalNewTab}
  </Anchor>
)
