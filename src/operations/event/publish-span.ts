import { traced, type SpanFacts, type Traces } from '../../deps/traces.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'

/** Writes the place of the publish in its trace into events. */
type Place = (events: readonly StoredEvent[]) => readonly StoredEvent[]

/**
 * Runs the writing of events as a span. What `place` gives of its events is to be written. Without traces they keep the place
 * that the caller gave.
 *
 * @param traceparent the place of the request; undefined outside a trace
 */
export function inPublishSpan<T>(
  traces: Traces | undefined,
  { companyId, environment }: Tenant,
  traceparent: string | undefined,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  let told: SpanFacts = {}
  const facts = { 'sales_data.company_id': companyId, 'sales_data.environment': environment }
  return traced(
    traces,
    'publish',
    { kind: 'producer', parent: traceparent, facts },
    {
      work: (place) =>
        work((events) => {
          const [first] = events
          told = { 'sales_data.events': events.length, 'sales_data.event_id': first?.id }
          return place ? events.map((event) => ({ ...event, traceparent: place })) : events
        }),
      describe: () => ({ facts: told }),
    },
  )
}
