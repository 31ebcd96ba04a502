import { Modal } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useConsole, useStore } from '../session/context.ts'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly size?: string
}

/**
 * A dialog that is there as long as it is rendered; then the focus goes back to where it was. While the console asks for a
 * password, Escape belongs to that.
 */
export function Dialog({ title, onClose, children, size = 'lg' }: Props) {
  const isAsking = useStore(useConsole().prompter.open) !== undefined
  useFocusBack()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeOnEscape={!isAsking}
      trapFocus={!isAsking}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
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
