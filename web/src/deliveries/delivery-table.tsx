import { useState } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { SelectedActions } from './selected-actions.tsx'

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly showsWebhook: boolean
  readonly maySend: boolean
}

/** Deliveries as rows, of which some can be selected and sent again. */
export function DeliveryTable({ deliveries, showsWebhook, maySend }: Props) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const select = (id: string, isSelected: boolean) => {
    const others = [...selected].filter((each) => each !== id)
    setSelected(new Set(isSelected ? [...others, id] : others))
  }
  const columns: readonly Column[] = [
    ...(maySend ? ['Select'] : []),
    'State',
    'Event',
    ...(showsWebhook ? ['Webhook'] : []),
    'Response',
    { name: 'Attempts', isFigure: true },
    { name: 'Duration', isFigure: true },
    'Created',
  ]
  return (
    <>
      {maySend && <SelectedActions deliveries={deliveries} selected={selected} onSelect={setSelected} />}
      <DataTable label="Deliveries" columns={columns}>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            showsWebhook={showsWebhook}
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
