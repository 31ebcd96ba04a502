import type { ReactNode } from 'react'
import type { Webhook } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import { plural } from '../common/format/numbers.ts'
import { For, When } from '../common/ui/when.tsx'

/** Why the service deactivated a webhook. */
const REASONS: Readonly<Record<string, string>> = {
  gone: 'Its endpoint answered 410 Gone, so the service deactivated it.',
  backlog: 'Too many deliveries waited, so the service deactivated it.',
  failing: 'Its endpoint failed for days, so the service deactivated it.',
}

type Props = {
  readonly webhook: Webhook
  /** What to press where the webhook is inactive. */
  readonly action: ReactNode
}

/** Why the endpoint gets nothing, since when, and what to do about it. Nothing where it does well. */
export function HealthNotice({ webhook: { health, deactivated_reason: reason }, action }: Props) {
  const cause = health.last_error === null ? undefined : causeOfCode(health.last_error)
  if (health.state === 'disabled')
    return (
      <div className="cause" data-tone="idle">
        <div>
          <strong>Inactive</strong>
          {reason !== null && (REASONS[reason] ?? reason)} Nothing is sent. Events that happen meanwhile make
          no delivery, and can be recovered afterwards; what waits goes out when the webhook is activated.
        </div>
        {action}
      </div>
    )
  if (health.state !== 'failing' || !cause) return null
  return (
    <div className="cause">
      <div>
        <strong>
          {cause.cause} Failing {health.failing_since !== null && <For since={health.failing_since} />}:{' '}
          {plural(health.consecutive_failures, 'attempt')} in a row,{' '}
          {plural(health.waiting, 'delivery', 'deliveries')} waiting.
        </strong>
        {cause.hint} Last success: <When at={health.last_success_at} none="never" />.
      </div>
    </div>
  )
}
