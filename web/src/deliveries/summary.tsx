import type { ReactNode } from 'react'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { Countdown, ExactTime, When } from '../common/ui/when.tsx'

type Props = {
  readonly delivery: DeliveryDetail
  /** Undefined until it has come. */
  readonly webhook: Webhook | undefined
  /** The link to its workflow. */
  readonly workflow: ReactNode
}

/** What a delivery is: its event, its webhook, its ids and times. */
export function Summary({ delivery, webhook, workflow }: Props) {
  const { request_duration_ms: tookMs, webhook_id } = delivery
  return (
    <aside aria-label="Facts">
      <Facts
        isList
        facts={[
          ['Event', `${delivery.event_type}${delivery.is_test ? ' (test event)' : ''}`],
          [
            'Webhook',
            <TextLink key="webhook" href={`/webhooks/${webhook_id}`}>
              <ForeignName text={webhook?.name ?? webhook_id} />
            </TextLink>,
          ],
          ['Attempts', `${delivery.attempts} of ${delivery.max_attempts}`],
          ['Latest attempt', tookMs === null ? '–' : inMs(tookMs)],
          delivery.status === 'success'
            ? ['Delivered', <When key="then" at={delivery.delivered_at} />]
            : ['Next attempt', <Next key="then" at={delivery.next_retry_at} />],
          ['Created', <ExactTime key="created" at={delivery.created_at} />],
          ['Event id', <ShortId key="event" id={delivery.event_id} what="event id" />],
          ['Delivery id', <ShortId key="delivery" id={delivery.id} what="delivery id" />],
          ...(delivery.resend_of === null
            ? []
            : [['Resent from', <Original key="original" delivery={delivery} />] as const]),
          ['Workflow', workflow],
        ]}
      />
    </aside>
  )
}

const Next = ({ at }: { at: string | null | undefined }): ReactNode =>
  at ? (
    <>
      <When at={at} is="next" /> (<Countdown until={at} over="due" />)
    </>
  ) : (
    'none planned'
  )

/** The delivery that this one repeats. */
function Original({ delivery: { webhook_id, resend_of } }: { delivery: DeliveryDetail }): ReactNode {
  return (
    <TextLink href={`/deliveries/${webhook_id}/${resend_of ?? ''}`}>
      the event of <code>{resend_of}</code>
    </TextLink>
  )
}
