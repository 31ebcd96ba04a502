import { Text } from '@mantine/core'
import type { DeliveryDetail } from '../common/api/deliveries.js'
import { AttemptEntry } from './attempt-entry.js'

/** The latest attempts, newest first. The api keeps twenty of them in the delivery. */
export function Attempts({ delivery: { attempt_log: log, attempts } }: { delivery: DeliveryDetail }) {
  if (log.length === 0) return <Text>No attempt was made yet.</Text>
  return (
    <>
      <ol className="attempts" reversed>
        {log.toReversed().map((attempt, index) => (
          <AttemptEntry key={attempt.number} attempt={attempt} isOpen={index === 0} />
        ))}
      </ol>
      {attempts > log.length && <Text size="sm">Of {attempts} attempts these are the latest.</Text>}
    </>
  )
}
