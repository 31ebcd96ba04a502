import type { EventType } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { parseFilterText } from './filter/filter-text.ts'
import { parseSchedule, retryPlan } from './retry-plan.ts'
import type { WebhookForm } from './webhook-form.ts'
import { texts } from './texts.ts'

/** Says in a few sentences what a webhook with the values of a form does. */
export function WebhookSummary({ form }: { form: WebhookForm }) {
  const { retry_schedule: ofService } = useSession().settings
  const all = useOne<readonly EventType[]>('/event-types').data?.item.length
  const last = retryPlan(parseSchedule(form.schedule) ?? ofService, form.maxRetries).at(-1)
  return (
    <ul className="summary-lines">
      <li>{eventsOf(form.events.length, all)}</li>
      <li>
        {last
          ? texts.attemptsWithin({ attempts: form.maxRetries + 1, seconds: last.sinceFirstSeconds })
          : texts.oneAttempt}
      </li>
      {parseFilterText(form.filter) && <li>{texts.onlyWhatPasses}</li>}
      {!form.isActive && <li>{texts.getsNothingYet}</li>}
    </ul>
  )
}

function eventsOf(chosen: number, all: number | undefined): string {
  if (chosen === 0) return texts.getsNoEvent
  return chosen === all ? texts.getsAllEvents({ all }) : texts.getsEvents({ chosen, all })
}
