import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** Says how many deliveries arrived since the list was followed. Screen readers announce it. */
export function TailNews({ deliveries }: { deliveries: readonly Delivery[] }) {
  // Compares with the newest delivery, not with the clock of this machine, which may be wrong. The newest comes first.
  const [since] = useState(() => deliveries[0]?.created_at ?? '')
  const news = deliveries.filter(({ created_at }) => created_at > since).length
  return (
    <Text size="sm" role="status">
      {news === 0 ? texts.nothingNewYet : texts.newDeliveries({ number: news })}
    </Text>
  )
}
