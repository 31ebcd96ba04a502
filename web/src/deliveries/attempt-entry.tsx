import { Stack, Text } from '@mantine/core'
import type { Attempt } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { StepTimes } from './step-times.tsx'

const TRIGGERS = {
  scheduled: 'by schedule',
  manual: 'by hand',
  test: 'test event',
  recovery: 'by a recovery',
} as const

/** One attempt: when, what came of it, where its time went, why, and the response. Folded to one line unless it is open. */
export function AttemptEntry({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { number, response_code: code, trigger, duration_ms } = attempt
  const isGood = code !== null && code >= 200 && code <= 299
  const cause = causeOf(attempt)
  return (
    <li data-tone={isGood ? 'good' : 'bad'}>
      <details open={isOpen}>
        <summary className="attempt-head">
          <span>Attempt {number}</span>
          <Status tone={isGood ? 'good' : 'bad'}>{shortCause(attempt)}</Status>
          <span className="quiet">
            {inMs(duration_ms)} · <When at={attempt.started_at} /> · {TRIGGERS[trigger]}
          </span>
        </summary>
        <Stack gap="xs" mt="xs">
          <StepTimes attempt={attempt} />
          {cause && !isGood && !isOpen && <Text size="sm">{cause.cause}</Text>}
          <Response attempt={attempt} />
        </Stack>
      </details>
    </li>
  )
}

function Response({ attempt }: { attempt: Attempt }) {
  const { number, response_code: code, response_headers, response_body } = attempt
  if (code === null) return null
  if (response_headers === null && response_body === null)
    return <p className="quiet">Its response is no longer kept: only those of the latest 20 attempts are.</p>
  return (
    <>
      <Text size="sm">Response headers{attempt.response_headers_cut && ' (cut, 2 KiB are kept)'}</Text>
      <ForeignBlock
        label={`Headers of the response to attempt ${String(number)}`}
        text={headerText(attempt)}
      />
      <Text size="sm">Response body (the first 16 KiB are kept)</Text>
      <ForeignBlock
        label={`Body of the response to attempt ${String(number)}`}
        text={response_body === null || response_body === '' ? '(empty)' : response_body}
      />
    </>
  )
}

function headerText({ response_code, response_headers }: Attempt): string {
  if (response_headers === null) return '(not kept)'
  const lines = Object.entries(response_headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${String(response_code)}`, ...lines].join('\n')
}
