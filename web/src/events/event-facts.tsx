import type { ReactNode } from 'react'
import type { EventDetail } from '../common/api/wire.ts'
import { isRecordId } from '../common/format/record-name.ts'
import { useMay } from '../common/session/context.ts'
import { Copy } from '../common/ui/copy.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { ExactTime, When } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** How an event was published, in words. */
const VIA = { event: texts.viaEvent, record: texts.viaRecord, test: texts.viaTest }

/** The facts of an event: who published it and how, its record, its id and time. */
export function EventFacts({ event }: { event: EventDetail }) {
  const { id, created_at, payload, published_by: by } = event
  const { subject, revision } = payload
  return (
    <aside aria-label={texts.facts}>
      <Facts
        isList
        facts={[
          [texts.publishedBy, <PublishedBy key="by" by={by} />],
          ...(by ? [[texts.how, VIA[by.via]] as const] : []),
          [texts.happened, <When key="ago" at={created_at} />],
          [texts.exactly, <ExactTime key="created" at={created_at} />],
          ...(typeof subject === 'string'
            ? [[texts.subject, <Subject key="subject" text={subject} />] as const]
            : []),
          ...(typeof revision === 'number' ? [[texts.revision, String(revision)] as const] : []),
          [texts.eventIdLabel, <ShortId key="id" id={id} what={texts.eventId} />],
          [
            texts.deliveries,
            <TextLink key="deliveries" href={`/deliveries?q=${encodeURIComponent(id)}`}>
              {texts.allItsDeliveries}
            </TextLink>,
          ],
        ]}
      />
    </aside>
  )
}

const Subject = ({ text }: { text: string }) =>
  isRecordId(text) ? (
    <ShortId id={text} what={texts.subject} />
  ) : (
    <span className="copyable">
      <ForeignText text={text} />
      <Copy text={text} what={texts.subject} />
    </span>
  )

function PublishedBy({ by }: { by: EventDetail['published_by'] }): ReactNode {
  const maySeeUsers = useMay('users.create')
  if (!by) return texts.notKnown
  const name = <ForeignName text={by.name ?? by.id ?? ''} />
  if (by.type === 'cli') return texts.commandLine
  if (by.type === 'key')
    return texts.theKey({ name: <TextLink href={`/keys/${by.id ?? ''}`}>{name}</TextLink> })
  return maySeeUsers ? <TextLink href={`/users/${by.id ?? ''}`}>{name}</TextLink> : name
}
