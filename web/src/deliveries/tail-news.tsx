import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** Says how many deliveries came since the tail was switched on, also to screen readers. */
export function TailNews({ deliveries }: { deliveries: readonly Delivery[] }) {
  // Not the time of this machine, whose clock may be off. The newest comes first.
  const [since] = useState(() => deliveries[0]?.created_at ?? '')
  const news = deliveries.filter(({ created_at }) => created_at > since).length
  return (
    <Text size="sm" role="status">
      {news === 0 ? texts.nothingNewYet : texts.newDeliveries({ number: news })}
    </Text>
  )
}
