import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type ReactNode } from 'react'
import type { Delivery, EventDetail } from '../common/api/wire.ts'
import { shortCause } from '../common/format/attempt-hints.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { DataTable, Row, type Column } from '../common/ui/data-table.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { QuietLink, RowLink } from '../common/ui/text-link.tsx'
import { showRefusal } from '../common/ui/toasts.tsx'
import { When } from '../common/ui/when.tsx'
import { DeliveryStatusBadge } from '../deliveries/delivery-status.tsx'
import { SendDialog } from '../deliveries/send-dialog.tsx'
import { IS_POSSIBLE } from '../deliveries/send-many.ts'
import { rowsOf, WHY_NOT, type WebhookRow } from './reach.ts'
import { SendToWebhook } from './send-to-webhook.tsx'
import { texts } from './texts.ts'

/** The most webhooks that are shown before «show all». A company may have a thousand. */
const ROWS_SHOWN = 50

/** For each webhook whether it got the event, why not, and what the user can do about it. */
export function EventWebhooks({ event, maySend }: { event: EventDetail; maySend: boolean }) {
  const rows = rowsOf(event, useWebhookNames())
  const [isWhole, setWhole] = useState(false)
  // The dialogs are kept here, because an action may replace the row or the button that opened them.
  const [sending, setSending] = useState<WebhookRow>()
  const ended = rows.flatMap(({ latest }) => (latest && IS_POSSIBLE.resend(latest) ? [latest] : []))
  const some = (isWhole ? rows : concerned(rows)).slice(0, isWhole ? undefined : ROWS_SHOWN)
  if (rows.length === 0) return <Text size="sm">{texts.noWebhookThen}</Text>
  return (
    <>
      <ResendAll deliveries={ended} />
      <DataTable label={texts.whereItWent} columns={COLUMNS}>
        {some.map((row) => (
          <Row key={row.webhookId} cells={cellsOf(event.id, row, maySend ? setSending : undefined)} />
        ))}
      </DataTable>
      {some.length < rows.length && (
        <Button mt="sm" variant="default" onClick={() => setWhole(true)}>
          {texts.showAllWebhooks({ number: rows.length })}
        </Button>
      )}
      {sending && (
        <SendToWebhook
          event={event}
          targets={[{ id: sending.webhookId, name: sending.name }]}
          why={WHY_NOT[sending.reason]}
          onClose={() => setSending(undefined)}
        />
      )}
    </>
  )
}

/** The webhooks that are subscribed to the event's type, or all webhooks if none is. */
function concerned(rows: readonly WebhookRow[]): readonly WebhookRow[] {
  const some = rows.filter(({ latest, reason }) => latest !== undefined || reason !== 'type_not_subscribed')
  return some.length > 0 ? some : rows
}

const COLUMNS: readonly Column[] = [
  texts.state,
  texts.webhook,
  texts.responseOrReason,
  texts.when,
  { name: texts.action, isControl: true },
]

/** @param onSend absent for a test event, because that belongs to one webhook */
function cellsOf(
  eventId: string,
  row: WebhookRow,
  onSend: ((row: WebhookRow) => void) | undefined,
): readonly ReactNode[] {
  const { webhookId, name, reason, firstId, latest, deliveries } = row
  const deliveryId = latest?.id ?? firstId
  const page = deliveryId === null ? `/webhooks/${webhookId}` : `/deliveries/${webhookId}/${deliveryId}`
  return [
    latest ? (
      <DeliveryStatusBadge key="state" delivery={latest} />
    ) : (
      <Status key="state" tone="idle">
        {firstId === null ? texts.notSent : texts.hasDelivery}
      </Status>
    ),
    <RowLink key="webhook" href={page}>
      <ForeignName text={name} limit={40} />
    </RowLink>,
    latest ? (
      <span key="why" className="one-line">
        {shortCause(latest)}
        {reason === 'sent_by_hand' && <span className="quiet">{texts.sentByHand}</span>}
        {deliveries > 1 && (
          <QuietLink href={`/deliveries?q=${encodeURIComponent(eventId)}`}>
            {texts.deliveryCount({ number: deliveries })}
          </QuietLink>
        )}
      </span>
    ) : firstId === null ? (
      WHY_NOT[reason]
    ) : (
      <QuietLink key="why" href={page}>
        {texts.seeDelivery}
      </QuietLink>
    ),
    latest && (
      <span key="when" className="one-line">
        <When at={latest.created_at} />
      </span>
    ),
    latest ? (
      <Again key="action" delivery={latest} name={name} />
    ) : (
      firstId === null && onSend && <Send key="action" onSend={() => onSend(row)} />
    ),
  ]
}

/** Retries a delivery that has not arrived, or resends one that has. */
function Again({ delivery, name }: { delivery: Delivery; name: string }) {
  const may = { retry: useMay('deliveries.retry'), resend: useMay('deliveries.resend') }
  const again = useChange<object>()
  const action = IS_POSSIBLE.retry(delivery) ? 'retry' : 'resend'
  if (!may[action]) return null
  const path = `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/${action}`
  const run = () =>
    again.mutate(
      { method: 'POST', path, body: {} },
      {
        onSuccess: () => notifications.show({ message: texts.queuedFor({ name }) }),
        onError: showRefusal,
      },
    )
  return (
    <Button size="compact-sm" variant="default" loading={again.isPending} onClick={run}>
      {action === 'retry' ? texts.retry : texts.resend}
    </Button>
  )
}

function Send({ onSend }: { onSend: () => void }) {
  return (
    useMay('events.send') && (
      <Button size="compact-sm" variant="default" onClick={onSend}>
        {texts.sendIt}
      </Button>
    )
  )
}

/** Resends the event to all webhooks whose delivery of it has ended. */
function ResendAll({ deliveries }: { deliveries: readonly Delivery[] }) {
  const mayResend = useMay('deliveries.resend')
  const [isOpen, setOpen] = useState(false)
  if (!mayResend) return null
  return (
    <>
      {deliveries.length > 1 && (
        <Button size="xs" variant="default" mb="xs" onClick={() => setOpen(true)}>
          {texts.resendAll({ number: deliveries.length })}
        </Button>
      )}
      {isOpen && <SendDialog action="resend" targets={deliveries} onClose={() => setOpen(false)} />}
    </>
  )
}
