import { Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useLeaveGuard } from './leave-guard.ts'
import { texts } from './texts.ts'

/**
 * Asks before the user leaves a page whose form has unsaved changes. Render it beside the form, not inside: its dialog
 * would otherwise submit the form too.
 */
export function UnsavedGuard({ isOn }: { isOn: boolean }) {
  const [leave, setLeave] = useState<() => void>()
  useLeaveGuard(isOn, (wanted) => setLeave(() => wanted))
  if (!leave || !isOn) return null
  return (
    <ConfirmDialog
      title={texts.leaveWithoutSaving}
      action={texts.leave}
      isBusy={false}
      error={null}
      onConfirm={() => {
        setLeave(undefined)
        leave()
      }}
      onClose={() => setLeave(undefined)}
    >
      <Text>{texts.inputIsLost}</Text>
    </ConfirmDialog>
  )
}
