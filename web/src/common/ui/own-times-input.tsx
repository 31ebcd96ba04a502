import { Group } from '@mantine/core'
import type { OwnFaults, OwnTimes } from '../format/local-times.ts'
import { DateTimeField } from './date-time-field.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly times: OwnTimes
  readonly faults: OwnFaults
  readonly onChange: (times: OwnTimes) => void
}

/** Two times in the reader's zone, each with the same moment in UTC. */
export const OwnTimesInput = ({ times, faults, onChange }: Props) => (
  <Group align="flex-start">
    <DateTimeField
      label={texts.fromYourTime}
      emptyMeans={texts.thisTimeAndLater}
      value={times.since}
      error={faults.since}
      onChange={(since) => onChange({ ...times, since })}
    />
    <DateTimeField
      label={texts.toYourTime}
      emptyMeans={texts.emptyUntilNow}
      value={times.until}
      error={faults.until}
      onChange={(until) => onChange({ ...times, until })}
    />
  </Group>
)
