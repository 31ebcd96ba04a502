import type { ReactNode } from 'react'
import type { DeliveryDetail } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { Copy } from '../common/ui/copy.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { ExactTime, When } from '../common/ui/when.tsx'
import { DeliveryStatusBadge } from './delivery-status.tsx'

/** Ids and times of a delivery. */
export function Summary({ delivery }: { delivery: DeliveryDetail }) {
  const { request_duration_ms: tookMs } = delivery
  return (
    <Facts
      facts={[
        ['State', <DeliveryStatusBadge key="state" delivery={delivery} />],
        ['Event', `${delivery.event_type}${delivery.is_test ? ' (test event)' : ''}`],
        ['Event id', <Id key="event" id={delivery.event_id} what="event id" />],
        ['Delivery id', <Id key="delivery" id={delivery.id} what="delivery id" />],
        ['Created', <ExactTime key="created" at={delivery.created_at} />],
        ...(delivery.resend_of === null
          ? []
          : [['Sends once more', <Original key="original" delivery={delivery} />] as const]),
        ['Attempts', `${delivery.attempts} of ${delivery.max_attempts}`],
        ['Latest attempt took', tookMs === null ? '–' : inMs(tookMs)],
        [
          delivery.status === 'success' ? 'Delivered' : 'Next try',
          delivery.status === 'success' ? (
            <When key="then" at={delivery.delivered_at} />
          ) : (
            <When key="then" at={delivery.next_retry_at} none="none planned" is="next" />
          ),
        ],
      ]}
    />
  )
}

function Id({ id, what }: { id: string; what: string }): ReactNode {
  return (
    <>
      <code>{id}</code> <Copy text={id} what={what} />
    </>
  )
}

/** The delivery that this one repeats. */
function Original({ delivery: { webhook_id, resend_of } }: { delivery: DeliveryDetail }): ReactNode {
  return (
    <TextLink href={`/deliveries/${webhook_id}/${resend_of ?? ''}`}>
      the event of <code>{resend_of}</code>
    </TextLink>
  )
}
