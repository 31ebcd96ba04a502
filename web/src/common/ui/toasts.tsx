import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { describeRefusal } from '../api/describe-refusal.ts'
import { texts } from './texts.ts'

/** Longer than other messages, because the user must read it, decide, and reach the button. */
const STAYS_MS = 10_000

/** Says what was done, with a button that undoes it. */
export function showUndo(message: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    autoClose: STAYS_MS,
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo().catch(showRefusal)
          }}
        >
          {texts.undo}
        </Button>
      </Group>
    ),
  })
}

/** Says why something failed that has no place of its own on the page. */
export function showRefusal(error: unknown): void {
  const { title, message, requestId } = describeRefusal(error)
  const text = requestId === null ? message : texts.messageAndRequest({ message, requestId })
  notifications.show({ color: 'red', title, message: text })
}
