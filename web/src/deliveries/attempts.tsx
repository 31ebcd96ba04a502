import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Attempt, DeliveryDetail } from '../common/api/wire.ts'
import { useParts } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { AttemptEntry } from './attempt-entry.tsx'
import { texts } from './texts.ts'

/** All attempts, newest first. The delivery itself holds the latest twenty; those before are read when somebody asks. */
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
  /** Number of the oldest attempt that is shown already. */
  readonly before: number
}

/** The list of the api begins with the latest attempts, which are shown above: they are left out. */
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
