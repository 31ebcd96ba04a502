import { Alert, Button, Group, Text } from '@mantine/core'
import { describeRefusal } from '../api/describe-refusal.js'
import { inWords } from '../format/durations.js'
import { useEffect, useRef } from 'react'

type Props = {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

/** What went wrong, what to do, and what to tell the operator. It is announced when it appears, and brought into view. */
export function RefusalNotice({ error, onRetry }: Props) {
  const { title, message, requestId, retryAfterSeconds } = describeRefusal(error)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // In braces: newer browsers give a promise, which React would take for a clean-up.
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  return (
    <Alert ref={box} color="red" variant="outline" title={title} role="alert">
      <Text size="sm" className="foreign">
        {message}
      </Text>
      {retryAfterSeconds !== null && (
        <Text size="sm">You can try again in {inWords(Math.max(1, retryAfterSeconds))}.</Text>
      )}
      {requestId !== null && (
        <Text size="sm">
          Tell the operator this request id: <code>{requestId}</code>
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}
