import { Stack, Text } from '@mantine/core'
import type { Attempt } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { Disclosure } from '../common/ui/disclosure.tsx'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { StepTimes } from './step-times.tsx'
import { texts } from './texts.ts'

const TRIGGERS = {
  scheduled: texts.bySchedule,
  manual: texts.byHand,
  test: texts.testEvent,
  recovery: texts.byARecovery,
} as const

/**
 * One attempt: when it was made, its outcome, the times of its steps, the cause, and the response. It is one line unless it
 * is open.
 */
export function AttemptEntry({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { number, response_code: code, trigger, duration_ms } = attempt
  const isGood = code !== null && code >= 200 && code <= 299
  const cause = causeOf(attempt)
  return (
    <li data-tone={isGood ? 'good' : 'bad'}>
      <Disclosure
        isOpen={isOpen}
        className="attempt-head"
        summary={
          <>
            <span>{texts.attempt({ number })}</span>
            <Status tone={isGood ? 'good' : 'bad'}>{shortCause(attempt)}</Status>
            <span className="quiet">
              {inMs(duration_ms)} · <When at={attempt.started_at} hasClock /> · {TRIGGERS[trigger]}
            </span>
          </>
        }
      >
        <Stack gap="xs" mt="xs">
          <StepTimes attempt={attempt} />
          {cause && !isGood && !isOpen && <Text size="sm">{cause.cause}</Text>}
          <Response attempt={attempt} />
        </Stack>
      </Disclosure>
    </li>
  )
}

function Response({ attempt }: { attempt: Attempt }) {
  const { number, response_code: code, response_headers, response_body } = attempt
  if (code === null) return null
  if (response_headers === null && response_body === null)
    return <p className="quiet">{texts.responseGone}</p>
  return (
    <>
      {response_headers === null ? (
        <p className="quiet">{texts.headersNotKept}</p>
      ) : (
        <>
          <Text size="sm">
            {attempt.response_headers_cut ? texts.responseHeadersCut : texts.responseHeaders}
          </Text>
          <ForeignBlock label={texts.headersOf({ number })} text={headerText(code, response_headers)} />
        </>
      )}
      <Text size="sm">{texts.responseBody}</Text>
      <ForeignBlock
        label={texts.bodyOf({ number })}
        text={response_body === null || response_body === '' ? texts.emptyBody : response_body}
      />
    </>
  )
}

function headerText(code: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${code}`, ...lines].join('\n')
}
