import { Link } from 'wouter'
import type { WebhookActivity } from '../common/api/wire.ts'
import { percent } from '../common/format/numbers.ts'
import { Sparkline } from '../common/ui/sparkline.tsx'
import { rateTone } from './rate-tone.ts'
import { texts } from './texts.ts'

/** The last 24 hours of a webhook on one line, which links to its metrics. */
export function WebhookPulse({ activity }: { activity: WebhookActivity }) {
  const { webhook_id, attempts, successes, failures, series } = activity
  if (attempts === 0) return <span className="quiet">{texts.noAttemptInDay}</span>
  return (
    <Link className="pulse" href={`/webhooks/${webhook_id}?tab=metrics`}>
      <Sparkline
        points={series.map((hour) => ({ good: hour.successes, bad: hour.failures }))}
        summary={texts.attemptsOfDay({ attempts, failures })}
      />
      <span data-tone={rateTone(successes, attempts)}>
        {texts.dayInWords({ rate: percent(successes, attempts), attempts })}
      </span>
    </Link>
  )
}
