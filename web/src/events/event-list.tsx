import type { Event } from '../common/api/wire.ts'
import { count } from '../common/format/numbers.ts'
import { useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** The events that were published, newest first. */
export function EventList() {
  const list = useParts<Event>('/events', { payload: 'false' })
  const events = list.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Loaded reading={list}>
      {() => {
        if (events.length === 0 && !list.hasNextPage) return <NoEvents />
        return (
          <>
            <DataTable label={texts.events} columns={COLUMNS}>
              {events.map(({ id, event, deliveries, created_at }) => (
                <Row
                  key={id}
                  cells={[
                    <RowLink key="event" href={`/events/${encodeURIComponent(id)}`}>
                      {event}
                    </RowLink>,
                    <ShortId key="id" id={id} what={texts.eventId} />,
                    count(deliveries),
                    <When key="when" at={created_at} />,
                  ]}
                />
              ))}
            </DataTable>
            <MoreButton list={list} isEmpty={events.length === 0} />
          </>
        )
      }}
    </Loaded>
  )
}

const COLUMNS = [
  texts.event,
  texts.eventIdLabel,
  { name: texts.deliveries, isFigure: true },
  texts.happened,
] as const

function NoEvents() {
  const { settings } = useSession()
  return (
    <EmptyState
      curl={`curl -H 'Authorization: Bearer <your key>' -H 'Content-Type: application/json' ${settings.public_url}/api-v1-events \\
  -d '{"event": "contact.created", "data": {"name": "Ada Lovelace"}}'`}
    >
      {texts.noEventYet}
    </EmptyState>
  )
}
