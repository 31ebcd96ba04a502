import { Stack, Text } from '@mantine/core'
import type { ReactNode, SubmitEventHandler } from 'react'
import { Form } from './form.tsx'
import { texts } from './texts.ts'

type Props = {
  /** The heading of the summary. */
  readonly title: string
  /** The summary of the form's values. */
  readonly summary: ReactNode
  /** The buttons. */
  readonly actions: ReactNode
  readonly children: ReactNode
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>
  /** Further checks of the form. */
  readonly check?: () => boolean
}

/** A form with a summary that stays in view beside it. If there is no room, the summary stands before the buttons. */
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
