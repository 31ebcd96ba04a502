import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import type { EventDetail } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RecordName } from '../common/ui/record-name.tsx'
import { Section } from '../common/ui/section.tsx'
import { TestBadge } from '../common/ui/test-badge.tsx'
import { Payload } from '../deliveries/payload.tsx'
import { EventFacts } from './event-facts.tsx'
import { EventWebhooks } from './event-webhooks.tsx'
import { changesOf, isTest, withoutDelivery, type Change } from './reach.ts'
import { SendToWebhook } from './send-to-webhook.tsx'
import { texts } from './texts.ts'

/** How often an event is read again while one of its deliveries is open, and after that. */
const OPEN_EVERY_MS = 3_000
const ENDED_EVERY_MS = 30_000

/** The page of one event: which webhooks got it, why others did not, and its payload. Beside them, who published it. */
export function EventPage({ eventId }: { eventId: string }) {
  const reading = useOne<EventDetail>(`/events/${encodeURIComponent(eventId)}`, {
    everyMs: ({ deliveries }) =>
      deliveries.some(({ status }) => status === 'pending' || status === 'retrying')
        ? OPEN_EVERY_MS
        : ENDED_EVERY_MS,
  })
  const event = reading.data?.item
  return (
    <>
      <PageTitle
        title={event ? texts.eventOfType({ type: event.event }) : texts.event}
        beside={
          <>
            {event && <RecordName payload={event.payload} />}
            {isTest(eventId) && <TestBadge />}
          </>
        }
      >
        {event && !isTest(eventId) && <SendButton event={event} />}
      </PageTitle>
      <Loaded reading={reading}>
        {({ item }) => (
          <div className="with-aside">
            <Stack gap="lg">
              <Section id="webhooks" title={texts.whereItWent}>
                <EventWebhooks event={item} maySend={!isTest(eventId)} />
              </Section>
              <Changes changes={changesOf(item.payload)} />
              <Section id="payload" title={texts.payload}>
                <Payload payload={item.payload} eventId={item.id} />
              </Section>
            </Stack>
            <EventFacts event={item} />
          </div>
        )}
      </Loaded>
    </>
  )
}

/** The changed fields, with their former and new values. */
function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null
  return (
    <Section id="changes" title={texts.whatChanged}>
      <DataTable label={texts.whatChanged} columns={[texts.field, texts.before, texts.now]}>
        {changes.map(({ name, before, after }) => (
          <Row
            key={name}
            cells={[
              <ForeignName key="name" text={name} />,
              <ForeignText key="before" text={before} />,
              after === undefined ? texts.gone : <ForeignText key="now" text={after} />,
            ]}
          />
        ))}
      </DataTable>
    </Section>
  )
}

/** Sends the event to any webhook without a delivery of it. The webhook may be newer than the event. */
function SendButton({ event }: { event: EventDetail }) {
  const maySend = useMay('events.send')
  const targets = withoutDelivery(event, useWebhookNames())
  const [isOpen, setOpen] = useState(false)
  if (!maySend) return null
  return (
    <>
      <Button variant="default" disabled={targets.length === 0 && !isOpen} onClick={() => setOpen(true)}>
        {texts.sendToAWebhook}
      </Button>
      {isOpen && <SendToWebhook event={event} targets={targets} onClose={() => setOpen(false)} />}
    </>
  )
}
