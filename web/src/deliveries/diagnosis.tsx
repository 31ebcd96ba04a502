import { Alert, Text } from '@mantine/core'
import type { DeliveryDetail } from '../common/api/wire.ts'
import { causeOf } from '../common/format/attempt-hints.ts'

/** Why the delivery has not arrived, and what to do, before all details. */
export function Diagnosis({ delivery }: { delivery: DeliveryDetail }) {
  const last = delivery.attempt_log.at(-1)
  const cause = causeOf(last ?? { response_code: delivery.response_code, error: delivery.error })
  if (delivery.status === 'success' || !cause) return null
  return (
    <Alert variant="outline" color="red" title="Why it did not arrive">
      <Text size="sm" className="foreign">
        {cause.cause}
      </Text>
      <Text size="sm">{cause.hint}</Text>
    </Alert>
  )
}
