import { DataTable, Row } from '../common/ui/data-table.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { Status } from '../common/ui/status.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import type { SendOutcome } from './send-many.ts'
import { texts } from './texts.ts'

/** The outcomes of many deliveries, the refused ones first. */
export function SendOutcomes({ outcomes }: { outcomes: readonly SendOutcome[] }) {
  const isRefused = ({ kind }: SendOutcome) => kind === 'refused'
  const sorted = [...outcomes.filter(isRefused), ...outcomes.filter((outcome) => !isRefused(outcome))]
  return (
    <DataTable label={texts.whatCameOfEach} columns={[texts.event, texts.result]}>
      {sorted.map((outcome) => (
        <Row
          key={outcome.target.id}
          cells={[
            <ShortId key="event" id={outcome.target.event_id} what={texts.eventId} />,
            <span key="result">
              <Result outcome={outcome} />
            </span>,
          ]}
        />
      ))}
    </DataTable>
  )
}

function Result({ outcome }: { outcome: SendOutcome }) {
  const { target } = outcome
  const href = (id: string) => `/deliveries/${target.webhook_id}/${id}`
  if (outcome.kind === 'refused')
    return (
      <>
        <Status tone="bad">{texts.refused}</Status> <span className="foreign">{outcome.message}</span>
      </>
    )
  return (
    <>
      <Status tone="good">{texts.queued}</Status> {outcome.message}{' '}
      <TextLink href={href(outcome.newId ?? target.id)}>
        {outcome.newId === undefined ? texts.lookAtIt : texts.lookAtTheNewDelivery}
      </TextLink>
    </>
  )
}
