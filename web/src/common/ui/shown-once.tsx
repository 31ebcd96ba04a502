import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { useLeaveGuard } from './leave-guard.ts'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  /** What it is called in sentences: `key`, `secret`. */
  readonly what: string
  readonly value: string
  /** What can be done with it. */
  readonly children: ReactNode
  readonly onDone: () => void
}

/**
 * Shows a key or a secret the only time it can be seen. It lives in the state of this component alone: not in the URL, not in
 * the cache. Escape, a click outside, the back button and leaving the page ask first.
 */
export function ShownOnce({ title, what, value, children, onDone }: Props) {
  const [isStored, setStored] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  useLeaveGuard(!isStored, () => setLeaving(true))
  return (
    <Dialog title={title} onClose={() => (isStored ? onDone() : setLeaving(true))} size="xl">
      <Stack>
        <Text>{texts.copyNow({ what })}</Text>
        <Group gap="xs" wrap="nowrap">
          <code className="secret" data-testid="secret">
            {value}
          </code>
          <Copy text={value} what={what} label={texts.copyAlone} />
        </Group>
        {children}
        <Checkbox
          label={texts.stored({ what })}
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        {isLeaving && !isStored && (
          <Alert color="red" variant="outline" title={texts.closeWithout({ what })} role="alert">
            <Text size="sm">{texts.closedForGood({ what })}</Text>
            <Group mt="xs">
              <Button size="xs" onClick={() => setLeaving(false)} autoFocus>
                {texts.stay}
              </Button>
              <Button size="xs" variant="default" onClick={onDone}>
                {texts.closeAnyway}
              </Button>
            </Group>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button disabled={!isStored} onClick={onDone}>
            {texts.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
