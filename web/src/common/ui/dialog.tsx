import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useConsole, useStore } from '../session/context.js'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly size?: string
}

/** A dialog that is there as long as it is rendered. While the console asks for a password, Escape belongs to that. */
export function Dialog({ title, onClose, children, size = 'lg' }: Props) {
  const isAsking = useStore(useConsole().prompter.open) !== undefined
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
