import { Group, TextInput } from '@mantine/core'
import { fromLocalInput, type OwnFaults, type OwnTimes } from '../format/local-times.ts'
import { exactUtc } from '../format/times.ts'
import { texts } from './texts.ts'

type Props = {
  readonly times: OwnTimes
  readonly faults: OwnFaults
  readonly onChange: (times: OwnTimes) => void
}

/** Two times in the zone of the reader, each with what it is in UTC. */
export function OwnTimesInput({ times, faults, onChange }: Props) {
  return (
    <Group align="flex-start">
      <TextInput
        type="datetime-local"
        label={texts.fromYourTime}
        description={inUtc(times.since) ?? texts.thisTimeAndLater}
        value={times.since}
        error={faults.since}
        onChange={(event) => onChange({ ...times, since: event.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        label={texts.toYourTime}
        description={inUtc(times.until) ?? texts.emptyUntilNow}
        value={times.until}
        error={faults.until}
        onChange={(event) => onChange({ ...times, until: event.currentTarget.value })}
      />
    </Group>
  )
}

function inUtc(text: string): string | undefined {
  const iso = fromLocalInput(text)
  return iso === undefined ? undefined : exactUtc(new Date(iso))
}
