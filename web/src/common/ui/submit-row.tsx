import { Button, Group } from '@mantine/core'
import { texts } from './texts.ts'

type Props = {
  readonly onCancel: () => void
  /** What the button that sends the form says. */
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
}

/** The foot of a form in a dialog: the way out, and the button that sends it. */
export function SubmitRow({ onCancel, label, isBusy, isDisabled = false }: Props) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {texts.cancel}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isDisabled}>
        {label}
      </Button>
    </Group>
  )
}
