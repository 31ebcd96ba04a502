import type { ReactNode } from 'react'
import type { Webhook } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import type { Cause } from '../common/format/texts.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { NOT_ARRIVED, statusQuery } from '../deliveries/filters.ts'
import { TextLink } from '../common/ui/text-link.tsx'
import { Moment, When } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** Why the service deactivated a webhook, in words. */
const REASONS: Readonly<Record<string, string>> = {
  gone: texts.deactivatedGone,
  backlog: texts.deactivatedBacklog,
  failing: texts.deactivatedFailing,
}

type Props = {
  readonly webhook: Webhook
  /** The button for an inactive webhook. */
  readonly action: ReactNode
}

/** The cause of the failure, in the words of this notice. undefined if the endpoint does not fail. */
export const toldCauseOf = ({ health: { state, last_error: code } }: Webhook): Cause | undefined =>
  state === 'failing' && code !== null ? causeOfCode(code) : undefined

/**
 * Why the endpoint gets nothing, since when, and what to do. Beside tabs that do not show deliveries it says only why.
 * Renders nothing for a healthy endpoint.
 */
export function HealthNotice({ webhook, action }: Props) {
  const { get } = useUrlFilters()
  const { id, health, failed_deliveries: failed, deactivated_reason: reason } = webhook
  if (health.state === 'disabled')
    return (
      <div className="cause" data-tone="idle">
        <div>
          <strong>{texts.inactive}</strong>
          {texts.nothingIsSent({ reason: reason !== null && (REASONS[reason] ?? reason) })}
        </div>
        {action}
      </div>
    )
  const cause = toldCauseOf(webhook)
  if (!cause) return null
  return (
    <div className="cause">
      <div>
        <strong>
          {texts.failing({
            cause: cause.cause,
            since: health.failing_since !== null && <Moment at={health.failing_since} />,
            attempts: health.consecutive_failures,
          })}
        </strong>
        {['', 'deliveries'].includes(get('tab')) && (
          <>
            {health.waiting + failed > 0 &&
              texts.notArrived({
                waiting: health.waiting,
                failed,
                link: (
                  <TextLink href={`/webhooks/${id}?tab=deliveries&${statusQuery(NOT_ARRIVED)}`}>
                    {texts.lookAtThem}
                  </TextLink>
                ),
              })}{' '}
            {texts.hintAndLastSuccess({
              hint: cause.hint,
              when: <When at={health.last_success_at} none={texts.never} />,
            })}
          </>
        )}
      </div>
    </div>
  )
}
