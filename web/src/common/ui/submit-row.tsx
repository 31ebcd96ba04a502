import { Button } from '@mantine/core'
import { DialogFoot } from './dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly onCancel: () => void
  /** The text of the submit button. */
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** Whether the action destroys something. */
  readonly isDanger?: boolean
}

/** The foot of a form in a dialog: cancel and submit. Pass the same `isBusy` to the dialog. */
export function SubmitRow({ onCancel, label, isBusy, isDisabled = false, isDanger = false }: Props) {
  return (
    <DialogFoot>
      <Button variant="default" disabled={isBusy} onClick={onCancel}>
        {texts.cancel}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isDisabled} {...(isDanger && { color: 'red' })}>
        {label}
      </Button>
    </DialogFoot>
  )
}
