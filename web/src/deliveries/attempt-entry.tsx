import { Group, Stack, Text } from '@mantine/core'
import type { Attempt } from '../common/api/wire.ts'
import { causeOf } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { ExactTime } from '../common/ui/when.tsx'
import { StepTimes } from './step-times.tsx'

const TRIGGERS = {
  scheduled: 'by schedule',
  manual: 'by hand',
  test: 'test event',
  recovery: 'by a recovery',
} as const

/** One attempt: when, what came of it, why, and the answer. */
export function AttemptEntry({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { number, response_code: code, error, trigger, duration_ms } = attempt
  const { response_headers, response_body } = attempt
  const isKept = response_headers !== null || response_body !== null
  const isGood = code !== null && code >= 200 && code <= 299
  const cause = causeOf(attempt)
  return (
    <li data-tone={isGood ? 'good' : 'bad'}>
      <Stack gap={6}>
        <Group gap="xs">
          <Text fw={600}>Attempt {number}</Text>
          <Status tone={isGood ? 'good' : 'bad'}>
            {code === null ? (error ?? 'no answer') : `answered ${String(code)}`}
          </Status>
          <Text size="sm">
            {TRIGGERS[trigger]}, <ExactTime at={attempt.started_at} />, took {inMs(duration_ms)}
          </Text>
        </Group>
        {cause && (
          <Text size="sm" className="foreign">
            {cause.cause} {cause.hint}
          </Text>
        )}
        <StepTimes attempt={attempt} />
        {code !== null && !isKept && (
          <Text size="sm">Its answer is no longer kept: only those of the latest 20 attempts are.</Text>
        )}
        {code !== null && isKept && (
          <details open={isOpen}>
            <summary>Answer</summary>
            <Stack gap="xs" mt="xs">
              <Text size="sm">Headers{attempt.response_headers_cut && ' (cut, 2 KiB are kept)'}</Text>
              <ForeignBlock
                label={`Headers of the answer to attempt ${String(number)}`}
                text={headerText(attempt)}
              />
              <Text size="sm">Body (the first 16 KiB are kept)</Text>
              <ForeignBlock
                label={`Body of the answer to attempt ${String(number)}`}
                text={
                  attempt.response_body === null || attempt.response_body === ''
                    ? '(empty)'
                    : attempt.response_body
                }
              />
            </Stack>
          </details>
        )}
      </Stack>
    </li>
  )
}

function headerText({ response_code, response_headers }: Attempt): string {
  if (response_headers === null) return '(not kept)'
  const lines = Object.entries(response_headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${String(response_code)}`, ...lines].join('\n')
}
