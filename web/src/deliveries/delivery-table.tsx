import type { Delivery } from '../common/api/wire.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { texts } from './texts.ts'

export type Selection = {
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
}

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly showsWebhook: boolean
  /** The selection. Absent if the user may not retry or resend. */
  readonly selection?: Selection | undefined
}

/** Deliveries as rows. Some of them can be selected to be sent again. */
export function DeliveryTable({ deliveries, showsWebhook, selection }: Props) {
  // Read here once. If each of a hundred rows read it, that would cost more than all their cells.
  const names = new Map(useWebhookNames().map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? `${id.slice(0, 12)}…`
  const select = ({ selected, onSelect }: Selection, id: string, isSelected: boolean) => {
    const others = [...selected].filter((each) => each !== id)
    onSelect(new Set(isSelected ? [...others, id] : others))
  }
  const columns: readonly Column[] = [
    ...(selection ? [{ name: texts.select, isControl: true } as const] : []),
    { name: texts.state, width: 'state' },
    { name: texts.event, width: 'event' },
    texts.subject,
    ...(showsWebhook ? [{ name: texts.webhook, width: 'webhook' } as const] : []),
    { name: texts.response, width: 'response' },
    { name: texts.attempts, isFigure: true, isSpare: true, width: 'figure' },
    { name: texts.duration, isFigure: true, isSpare: true, width: 'figure' },
    { name: texts.created, width: 'time' },
  ]
  return (
    <DataTable label={texts.deliveries} columns={columns}>
      {deliveries.map((delivery) => (
        <DeliveryRow
          key={delivery.id}
          delivery={delivery}
          {...(showsWebhook && { webhookName: nameOf(delivery.webhook_id) })}
          {...(selection && {
            selection: {
              isSelected: selection.selected.has(delivery.id),
              onSelect: (isSelected) => select(selection, delivery.id, isSelected),
            },
          })}
        />
      ))}
    </DataTable>
  )
}
