import { Group } from '@mantine/core'
import { useState } from 'react'
import type { Delivery } from '../common/api/deliveries.js'
import { DataTable } from '../common/ui/data-table.js'
import { DeliveryRow } from './delivery-row.js'
import { RetrySelected } from './retry-selected.js'

type Props = {
  readonly deliveries: readonly Delivery[]
  readonly showsWebhook: boolean
  readonly mayRetry: boolean
}

/** Deliveries as rows, of which some can be selected and retried. */
export function DeliveryTable({ deliveries, showsWebhook, mayRetry }: Props) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const select = (id: string, isSelected: boolean) => {
    const others = [...selected].filter((each) => each !== id)
    setSelected(new Set(isSelected ? [...others, id] : others))
  }
  const columns = [
    ...(mayRetry ? ['Select'] : []),
    ...['Created', 'Event', 'State', 'Answer', 'Attempts', 'Took'],
    ...(showsWebhook ? ['Webhook'] : []),
  ]
  return (
    <>
      {mayRetry && (
        <Group mb="xs">
          <RetrySelected deliveries={deliveries} selected={selected} onSelect={setSelected} />
        </Group>
      )}
      <DataTable label="Deliveries" columns={columns}>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            showsWebhook={showsWebhook}
            {...(mayRetry && {
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
