import { Fieldset, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { parseSchedule, planInWords, retryPlan } from './retry-plan.ts'
import { texts } from './texts.ts'

type Props = {
  readonly maxRetries: number
  readonly schedule: string
  readonly onChange: (maxRetries: number, schedule: string) => void
  readonly error?: string | undefined
}

const COUNTS = Array.from({ length: 11 }, (_, index) => String(index))

/** How often a failed delivery is tried again. The plan is written out below. */
export function RetryInput({ maxRetries, schedule, onChange, error }: Props) {
  const { retry_schedule: ofService } = useSession().settings
  const own = schedule.trim() === '' ? undefined : parseSchedule(schedule)
  const plan = retryPlan(own ?? ofService, maxRetries)
  return (
    <Fieldset legend={texts.fields.max_retries}>
      <Stack gap="sm">
        <NativeSelect
          label={texts.automaticRetries}
          data={COUNTS}
          value={String(maxRetries)}
          onChange={(event) => onChange(Number(event.currentTarget.value), schedule)}
        />
        <TextInput
          label={texts.ownSchedule}
          description={texts.scheduleHow}
          placeholder={texts.scheduleExample}
          value={schedule}
          error={error}
          onChange={(event) => onChange(maxRetries, event.currentTarget.value)}
        />
        <Text size="sm" role="status">
          {planInWords(plan)}
        </Text>
      </Stack>
    </Fieldset>
  )
}
