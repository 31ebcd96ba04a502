import type { Event } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { count } from '../common/format/numbers.ts'
import { useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useChosenAt } from '../common/session/use-chosen-at.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { Subject } from '../common/ui/subject.tsx'
import { TestBadge } from '../common/ui/test-badge.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { FilterBarStart } from '../deliveries/filter-bar-start.tsx'
import { isFiltered, readFilters, toQuery } from '../deliveries/filters.ts'
import { TimeFilter } from '../deliveries/time-filter.tsx'
import { TypeFilter } from '../deliveries/type-filter.tsx'
import { isTest } from './reach.ts'
import { texts } from './texts.ts'

/** The published events, newest first. */
export function EventList() {
  const { get } = useUrlFilters()
  // These filters do not apply, because events have neither a state nor a response.
  const filters = { ...readFilters(get), status: '', response: '' }
  const list = useParts<Event>('/events', toQuery(filters, useChosenAt(filters.within)))
  return (
    <>
      <div className="toolbar">
        <FilterBarStart page="events" />
        <TypeFilter />
        <TimeFilter />
      </div>
      <FilteredList list={list} isFiltered={isFiltered(filters)} none={<NoEvents />}>
        {(events) => <EventTable events={events} />}
      </FilteredList>
    </>
  )
}

const EventTable = ({ events }: { events: readonly Event[] }) => (
  <DataTable label={texts.events} columns={COLUMNS}>
    {events.map(({ id, event, record, record_name, deliveries, created_at }) => (
      <Row
        key={id}
        cells={[
          <span key="event" className="one-line">
            <RowLink href={`/events/${encodeURIComponent(id)}`}>{event}</RowLink>
            {isTest(id) && <TestBadge />}
          </span>,
          <Subject key="subject" record={record} name={record_name} eventId={id} />,
          count(deliveries),
          <When key="when" at={created_at} />,
        ]}
      />
    ))}
  </DataTable>
)

const COLUMNS = [
  { name: texts.event, width: 'event' },
  texts.subject,
  { name: texts.deliveries, isFigure: true, width: 'time' },
  { name: texts.happened, width: 'time' },
] as const

function NoEvents() {
  const { settings } = useSession()
  return (
    <EmptyState
      title={texts.nothingPublished}
      curl={`curl -H 'Authorization: Bearer <your key>' -H 'Content-Type: application/json' ${settings.public_url}/api-v1-events \\
  -d '{"event": "contact.created", "data": {"name": "Ada Lovelace"}}'`}
    >
      {texts.noEventYet}
    </EmptyState>
  )
}
