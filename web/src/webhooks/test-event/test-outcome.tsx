import { Alert, Group, Stack, Text } from '@mantine/core'
import type { TestResult } from '../../common/api/wire.ts'
import { causeOf } from '../../common/format/attempt-hints.ts'
import { useMay } from '../../common/session/context.ts'
import { ForeignBlock } from '../../common/ui/foreign-text.tsx'
import { TextLink } from '../../common/ui/text-link.tsx'
import { texts } from './texts.ts'

function titleOf({ success, response_code }: TestResult): string {
  if (response_code === null) return texts.noResponseCame
  return success ? texts.arrived({ status: response_code }) : texts.answered({ status: response_code })
}

type Props = {
  readonly result: TestResult
  readonly webhookId: string
  /** The type of the event that was sent. */
  readonly type: string
  /** The cause that the page shows already, so that it is not shown twice. */
  readonly toldCause?: string | undefined
  readonly onClose: () => void
}

/** The outcome of a test event, and what to do if it did not arrive. */
export function TestOutcome({ result, webhookId, type, toldCause, onClose }: Props) {
  const { success, response_code, response_body, error, duration_ms, delivery_id } = result
  const mayWrite = useMay('webhooks.write')
  const cause = causeOf({ response_code, error })
  // For an error of the server the title says everything.
  const isInTitle = response_code !== null && response_code >= 500
  return (
    <Alert
      variant="outline"
      color={success ? 'green' : 'red'}
      title={texts.resultAfter({ result: titleOf(result), durationMs: duration_ms })}
      withCloseButton
      closeButtonLabel={texts.dismiss}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">{texts.sentType({ type })}</Text>
        {cause && cause.cause !== toldCause && (
          <Text size="sm">
            {!isInTitle && <span className="foreign">{cause.cause} </span>}
            {cause.hint}
          </Text>
        )}
        {response_body !== null && response_body !== '' && (
          <ForeignBlock label={texts.bodyOfTheResponse} text={response_body} limit={1_000} />
        )}
        <Group gap="xs">
          <TextLink href={`/deliveries/${webhookId}/${delivery_id}`}>{texts.lookAtThisDelivery}</TextLink>
          {!success && mayWrite && (
            <TextLink href={`/webhooks/${webhookId}/edit`}>{texts.editTheUrl}</TextLink>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
