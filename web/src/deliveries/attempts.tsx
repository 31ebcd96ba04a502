import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Attempt, DeliveryDetail } from '../common/api/wire.ts'
import { useParts } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { AttemptEntry } from './attempt-entry.tsx'
import { texts } from './texts.ts'

/** All attempts, newest first. The delivery holds the latest twenty. Older ones are read when the user asks for them. */
export function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const { attempt_log: log, attempts } = delivery
  const [showsEarlier, setShowsEarlier] = useState(false)
  const oldest = log[0]
  if (!oldest) return <Text>{texts.noAttemptWasMadeYet}</Text>
  const earlier = attempts - log.length
  return (
    <>
      <ol className="attempts" reversed>
        {log.toReversed().map((attempt, index) => (
          <AttemptEntry key={attempt.number} attempt={attempt} isOpen={index === 0} />
        ))}
      </ol>
      {earlier > 0 &&
        (showsEarlier ? (
          <EarlierAttempts delivery={delivery} before={oldest.number} />
        ) : (
          <Button variant="default" onClick={() => setShowsEarlier(true)}>
            {texts.showEarlier({ number: earlier })}
          </Button>
        ))}
    </>
  )
}

type Props = {
  readonly delivery: DeliveryDetail
  /** The number of the oldest attempt that is already shown. */
  readonly before: number
}

/** The api's list begins with the latest attempts. Those are shown above, so they are left out here. */
function EarlierAttempts({ delivery: { webhook_id, id }, before }: Props) {
  const list = useParts<Attempt>(`/webhooks/${webhook_id}/deliveries/${id}/attempts`, { limit: 100 })
  return (
    <Loaded reading={list}>
      {({ pages }) => (
        <>
          <ol className="attempts" reversed aria-label={texts.earlierAttempts}>
            {pages
              .flatMap((page) => page.data)
              .filter(({ number }) => number < before)
              .map((attempt) => (
                <AttemptEntry key={attempt.number} attempt={attempt} isOpen={false} />
              ))}
          </ol>
          <MoreButton list={list} isEmpty={false} />
        </>
      )}
    </Loaded>
  )
}
