import type { ReactNode } from 'react'
import type { DeliveryDetail, Webhook } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { Countdown, ExactTime, When } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly delivery: DeliveryDetail
  /** undefined until it arrives. */
  readonly webhook: Webhook | undefined
  /** The link to its workflow; undefined if the user gets none. */
  readonly workflow: ReactNode
}

/** The facts of a delivery: its event, its webhook, its ids and times. */
export function Summary({ delivery, webhook, workflow }: Props) {
  const { request_duration_ms: tookMs, webhook_id } = delivery
  return (
    <aside aria-label={texts.facts}>
      <Facts
        isList
        facts={[
          [texts.event, delivery.event_type],
          [
            texts.webhook,
            <TextLink key="webhook" href={`/webhooks/${webhook_id}`}>
              <ForeignName text={webhook?.name ?? webhook_id} />
            </TextLink>,
          ],
          [
            texts.attempts,
            texts.attemptsOf({ attempts: delivery.attempts, maxAttempts: delivery.max_attempts }),
          ],
          [texts.latestDuration, tookMs === null ? '–' : inMs(tookMs)],
          delivery.status === 'success'
            ? [texts.delivered, <When key="then" at={delivery.delivered_at} />]
            : [texts.nextAttempt, <Next key="then" at={delivery.next_retry_at} />],
          [texts.created, <ExactTime key="created" at={delivery.created_at} />],
          [
            texts.eventIdLabel,
            <ShortId
              key="event"
              id={delivery.event_id}
              what={texts.eventId}
              href={`/events/${encodeURIComponent(delivery.event_id)}`}
            />,
          ],
          [texts.deliveryIdLabel, <ShortId key="delivery" id={delivery.id} what={texts.deliveryId} />],
          ...(delivery.resend_of === null
            ? []
            : [[texts.resentFrom, <Original key="original" delivery={delivery} />] as const]),
          ...(workflow === undefined ? [] : [[texts.workflow, workflow] as const]),
        ]}
      />
    </aside>
  )
}

const Next = ({ at }: { at: string | null | undefined }): ReactNode =>
  at ? (
    <>
      <When at={at} is="next" /> (<Countdown until={at} over={texts.due} />)
    </>
  ) : (
    texts.nonePlanned
  )

/** The link to the delivery that this one repeats. */
function Original({ delivery: { webhook_id, resend_of } }: { delivery: DeliveryDetail }): ReactNode {
  return (
    <TextLink href={`/deliveries/${webhook_id}/${resend_of ?? ''}`}>
      {texts.eventOf({ id: <code>{resend_of}</code> })}
    </TextLink>
  )
}
