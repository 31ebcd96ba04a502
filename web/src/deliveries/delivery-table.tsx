import { useState, type ReactNode } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { SelectedActions } from './selected-actions.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly showsWebhook: boolean
  readonly maySend: boolean
  /** Offered beside what is selected. */
  readonly recover?: ReactNode
}

/** Deliveries as rows, of which some can be selected and sent again. */
export function DeliveryTable({ deliveries, showsWebhook, maySend, recover }: Props) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // Read once: a row that asked for itself would cost a list of a hundred more than all its cells.
  const names = new Map(useWebhookNames().map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? `${id.slice(0, 12)}…`
  const select = (id: string, isSelected: boolean) => {
    const others = [...selected].filter((each) => each !== id)
    setSelected(new Set(isSelected ? [...others, id] : others))
  }
  const columns: readonly Column[] = [
    ...(maySend ? [{ name: texts.select, isControl: true } as const] : []),
    texts.state,
    texts.event,
    ...(showsWebhook ? [texts.webhook] : []),
    texts.response,
    { name: texts.attempts, isFigure: true },
    { name: texts.duration, isFigure: true },
    texts.created,
  ]
  return (
    <>
      {maySend && (
        <SelectedActions
          deliveries={deliveries}
          selected={selected}
          onSelect={setSelected}
          recover={recover}
        />
      )}
      <DataTable label={texts.deliveries} columns={columns}>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            {...(showsWebhook && { webhookName: nameOf(delivery.webhook_id) })}
            {...(maySend && {
              selection: {
                isSelected: selected.has(delivery.id),
                onSelect: (isSelected) => select(delivery.id, isSelected),
              },
            })}
          />
        ))}
      </DataTable>
    </>
  )
}
