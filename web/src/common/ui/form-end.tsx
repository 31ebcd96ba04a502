import { Button, Group } from '@mantine/core'
import { ButtonLink } from './button-link.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { texts } from './texts.ts'

type Props = {
  /** Why the service refused the form, if it did. */
  readonly error: Error | null
  /** What the button that sends the form says. */
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** The page behind the form. */
  readonly backTo: string
}

/** The end of a form that is a page: the refusal, the button that sends it, and the way back, in view while the page scrolls. In a dialog it is SubmitRow. */
export const FormEnd = ({ error, label, isBusy, isDisabled = false, backTo }: Props) => (
  <>
    {error && <RefusalNotice error={error} />}
    <Group className="form-foot">
      <Button type="submit" loading={isBusy} disabled={isDisabled}>
        {label}
      </Button>
      <ButtonLink href={backTo}>{texts.cancel}</ButtonLink>
    </Group>
  </>
)
