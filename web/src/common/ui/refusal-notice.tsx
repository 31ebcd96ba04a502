import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { describeRefusal } from '../api/describe-refusal.ts'
import { focusFirstFault } from './focus-fault.ts'
import { texts } from './texts.ts'

type Props = {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

/**
 * Says what went wrong, what to do, and what to tell the operator. It is announced and scrolled into view when it appears.
 * If it is about fields of the form, the first of them gets the focus.
 */
export function RefusalNotice({ error, onRetry }: Props) {
  const { title, message, requestId, retryAfterSeconds } = describeRefusal(error)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
    return focusFirstFault(box.current?.closest('form'))
  }, [error])
  return (
    <Alert ref={box} color="red" variant="outline" title={title} role="alert">
      <Text size="sm" className="foreign">
        {message}
      </Text>
      {retryAfterSeconds !== null && (
        <Text size="sm">{texts.retryIn({ seconds: Math.max(1, retryAfterSeconds) })}</Text>
      )}
      {requestId !== null && <Text size="sm">{texts.requestId({ id: <code>{requestId}</code> })}</Text>}
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.tryAgain}
          </Button>
        </Group>
      )}
    </Alert>
  )
}
