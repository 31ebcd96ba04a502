import { ActionIcon, Button, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { TestResult } from '../../common/api/wire.ts'
import { useMay } from '../../common/session/context.ts'
import { useChange } from '../../common/session/queries.ts'
import { IconChevronDown } from '../../common/ui/icons.ts'
import { RefusalNotice } from '../../common/ui/refusal-notice.tsx'
import { TEST_EVENT } from '../../deliveries/filters.ts'
import { TestDialog } from './test-dialog.tsx'
import { TestOutcome } from './test-outcome.tsx'
import { texts } from './texts.ts'

/** Sends a test event and shows the outcome at once. */
export function TestEvent({ webhookId }: { webhookId: string }) {
  const { button, outcome } = useTestEvent({ webhookId })
  return (
    <Stack gap="sm">
      <div>{button}</div>
      {outcome}
    </Stack>
  )
}

type Options = {
  readonly webhookId: string
  readonly events?: readonly string[]
  readonly toldCause?: string | undefined
}

/**
 * The button that sends a test event, the button that opens its dialog, and the outcome, which the caller places.
 *
 * @param options.events the event types of the webhook. The dialog preselects the first
 * @param options.toldCause the cause of the failure that the page shows already
 */
export function useTestEvent({ webhookId, events, toldCause }: Options): {
  readonly button: ReactNode
  readonly outcome: ReactNode
} {
  const mayTest = useMay('webhooks.test')
  const test = useChange<TestResult>()
  const [isOpen, setOpen] = useState(false)
  const send = () => test.mutate({ method: 'POST', path: `/webhooks/${webhookId}/test`, body: {} })
  return {
    button: mayTest && (
      <Button.Group>
        <Button loading={test.isPending} onClick={send}>
          {texts.sendTestEvent}
        </Button>
        <ActionIcon
          className="split-button"
          variant="filled"
          disabled={test.isPending}
          aria-label={texts.chooseTestEvent}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <IconChevronDown size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Button.Group>
    ),
    outcome: (
      <>
        <div role="status">
          {test.data && (
            <TestOutcome
              result={test.data}
              webhookId={webhookId}
              type={TEST_EVENT}
              toldCause={toldCause}
              onClose={() => test.reset()}
            />
          )}
        </div>
        {test.error && <RefusalNotice error={test.error} />}
        {isOpen && (
          <TestDialog webhookId={webhookId} {...(events && { events })} onClose={() => setOpen(false)} />
        )}
      </>
    ),
  }
}
