import { Button, Group } from '@mantine/core'
import { ButtonLink } from './button-link.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { texts } from './texts.ts'

type Props = {
  /** The refusal of the api, if it refused the form. */
  readonly error: Error | null
  /** The text of the submit button. */
  readonly label: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** The page to which «Cancel» leads. */
  readonly backTo: string
}

/**
 * The end of a form on a page of its own: the refusal, the submit button, and the way back. It stays in view while the page
 * scrolls. Forms in dialogs use SubmitRow.
 */
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
