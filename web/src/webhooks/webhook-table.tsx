import type { Webhook, WebhookActivity } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { WebhookRow } from './webhook-row.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.fields.name,
  texts.state,
  { name: texts.fields.events, isSpare: true },
  texts.success24H,
  { name: 'p95', isFigure: true },
  { name: texts.waiting, isFigure: true },
  texts.lastDelivery,
  { name: texts.fields.is_active, isFigure: true },
]

/** How often the health and figures of an open list are read again. */
const READ_EVERY_MS = 30_000

type Props = {
  readonly webhooks: readonly Webhook[]
  /** Called with a webhook after its switch was pressed. */
  readonly onSet: (changed: Webhook) => void
}

/** A page of webhooks. The figures of the last 24 hours are read separately, so that a slow count does not delay the list. */
export function WebhookTable({ webhooks, onSet }: Props) {
  // Sorted by id, because the rows change their order with their health, and the request should stay the same.
  const ids = webhooks
    .map(({ id }) => id)
    .toSorted()
    .join(',')
  const activity = useOne<readonly WebhookActivity[]>('/activity/webhooks', {
    query: { ids },
    everyMs: READ_EVERY_MS,
  })
  const byId = new Map((activity.data?.item ?? []).map((each) => [each.webhook_id, each]))
  return (
    <>
      {activity.error && <RefusalNotice error={activity.error} onRetry={() => void activity.refetch()} />}
      <DataTable label={texts.webhooks} columns={COLUMNS} isTall>
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} activity={byId.get(webhook.id)} onSet={onSet} />
        ))}
      </DataTable>
    </>
  )
}
