import { Modal } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useConsole, useStore } from '../session/context.ts'
import { useLeaveGuard } from './leave-guard.ts'
import { LeaveQuestion } from './leave-question.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** A function gets what closes the dialog as its cross does: it asks first where something would be lost. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
  readonly size?: string
  /** Whether closing it would lose something: then the cross, Escape, a click outside and the back button ask first. */
  readonly hasInput?: boolean
  /** Whether what it asked for is under way: nothing closes it then, because the answer that it shows would be lost. */
  readonly isBusy?: boolean
  /** What they ask. */
  readonly question?: { readonly title: string; readonly means: string; readonly action: string }
}

const INPUT_IS_LOST = { title: texts.closeThis, means: texts.inputIsLost, action: texts.close }

/**
 * A dialog that is there as long as it is rendered; then the focus goes back to where it was. While the console asks for a
 * password, Escape belongs to that.
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
