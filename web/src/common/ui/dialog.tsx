import { Alert, Button, Group, Modal, Text } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useConsole, useStore } from '../session/context.ts'
import { useLeaveGuard } from './leave-guard.ts'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly size?: string
  /** Whether something was entered that closing it would lose: then Escape, a click outside and the back button ask first. */
  readonly hasInput?: boolean
}

/**
 * A dialog that is there as long as it is rendered; then the focus goes back to where it was. While the console asks for a
 * password, Escape belongs to that.
 */
export function Dialog({ title, onClose, children, size = 'lg', hasInput = false }: Props) {
  const isAsking = useStore(useConsole().prompter.open) !== undefined
  const [isLeaving, setLeaving] = useState(false)
  useLeaveGuard(hasInput, () => setLeaving(true))
  useFocusBack()
  return (
    <Modal
      opened
      onClose={() => (hasInput ? setLeaving(true) : onClose())}
      title={title}
      size={size}
      closeOnEscape={!isAsking}
      trapFocus={!isAsking}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {children}
      {isLeaving && hasInput && (
        <Alert color="red" variant="outline" title={texts.closeThis} role="alert" mt="md">
          <Text size="sm">{texts.inputIsLost}</Text>
          <Group mt="xs">
            <Button size="xs" onClick={() => setLeaving(false)} autoFocus>
              {texts.stay}
            </Button>
            <Button size="xs" variant="default" onClick={onClose}>
              {texts.close}
            </Button>
          </Group>
        </Alert>
      )}
    </Modal>
  )
}

/** Mantine gives the focus back when a dialog closes, but not when it is rendered no more. */
function useFocusBack(): void {
  const [former] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (former instanceof HTMLElement) former.focus({ preventScroll: true })
    },
    [former],
  )
}
