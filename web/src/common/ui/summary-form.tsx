import { Stack, Text } from '@mantine/core'
import type { ReactNode, SubmitEventHandler } from 'react'
import { Form } from './form.tsx'
import { texts } from './texts.ts'

type Props = {
  /** The head of the summary. */
  readonly title: string
  /** What the values of the form come to. */
  readonly summary: ReactNode
  /** The buttons. */
  readonly actions: ReactNode
  readonly children: ReactNode
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>
  /** The form's own checks. */
  readonly check?: () => boolean
}

/** A form with a summary that stays in view beside it; where there is no room for both, it stands before the buttons. */
export const SummaryForm = ({ title, summary, actions, children, onSubmit, check }: Props) => (
  <Form onSubmit={onSubmit} check={check} className="summary-form">
    <Stack>{children}</Stack>
    <div className="summary-side">
      <aside className="form-summary" aria-label={texts.summary}>
        <Text fw={600} size="sm" mb="xs">
          {title}
        </Text>
        {summary}
      </aside>
    </div>
    {actions}
  </Form>
)
