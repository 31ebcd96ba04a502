import { Button } from '@mantine/core'
import { DialogFoot } from './dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly onCancel: () => void
  /** What the button that sends the form says. */
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** Whether it destroys something. */
  readonly isDanger?: boolean
}

/** The foot of a form in a dialog: the way out, and the button that sends it. The dialog gets the same `isBusy`. */
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
