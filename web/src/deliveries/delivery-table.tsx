import { Group } from '@mantine/core'
import { useState } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { DataTable } from '../common/ui/data-table.tsx'
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
  const columns = [
    ...(maySend ? ['Select'] : []),
    ...['Created', 'Event', 'State', 'Answer', 'Attempts', 'Took'],
    ...(showsWebhook ? ['Webhook'] : []),
  ]
  return (
    <>
      {maySend && (
        <Group mb="xs">
          <SelectedActions deliveries={deliveries} selected={selected} onSelect={setSelected} />
        </Group>
      )}
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
