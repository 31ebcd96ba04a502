import { Modal } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useConsole, useStore } from '../session/context.ts'
import { useLeaveGuard } from './leave-guard.ts'
import { LeaveQuestion } from './leave-question.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** A function gets a `close` that works like the cross: it asks first if something would be lost. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
  readonly size?: string
  /** Whether closing would lose something. Then the cross, Escape, a click outside and the back button ask first. */
  readonly hasInput?: boolean
  /** Whether a request is under way. Then nothing closes the dialog, because its answer would be lost. */
  readonly isBusy?: boolean
  /** The texts of that question. */
  readonly question?: { readonly title: string; readonly means: string; readonly action: string }
}

const INPUT_IS_LOST = { title: texts.closeThis, means: texts.inputIsLost, action: texts.close }

/**
 * A dialog that is open as long as it is rendered. Then the focus returns to where it was. While the console asks for a
 * password, Escape closes only that dialog.
 */
export function Dialog({
  title,
  onClose,
  children,
  size = 'lg',
  hasInput = false,
  isBusy = false,
  question = INPUT_IS_LOST,
}: Props) {
  const isAsking = useStore(useConsole().prompter.open) !== undefined
  const [isLeaving, setLeaving] = useState(false)
  useLeaveGuard(hasInput, () => setLeaving(true))
  useFocusBack()
  const close = () => {
    if (isBusy) return
    if (hasInput) setLeaving(true)
    else onClose()
  }
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnEscape={!isAsking}
      trapFocus={!isAsking}
      closeButtonProps={{ 'aria-label': texts.close, disabled: isBusy }}
    >
      {typeof children === 'function' ? children(close) : children}
      {isLeaving && hasInput && !isBusy && (
        <LeaveQuestion question={question} onStay={() => setLeaving(false)} onLeave={onClose} />
      )}
    </Modal>
  )
}

/** Mantine returns the focus when a dialog closes, but not when the dialog is no longer rendered. */
function useFocusBack(): void {
  const [former] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (former instanceof HTMLElement) former.focus({ preventScroll: true })
    },
    [former],
  )
}
