import { Stack, TextInput } from '@mantine/core'
import { useState, type ReactNode, type SubmitEvent } from 'react'
import { Dialog } from './dialog.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { Form } from './form.tsx'
import { SubmitRow } from './submit-row.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly title: string
  /** What the action will do. */
  readonly children: ReactNode
  /** The verb on the button. */
  readonly action: string
  /** The text that the user must type before the button works. For actions that cannot be undone. */
  readonly typed?: string
  readonly isBusy: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before an action that is hard to undo. */
export function ConfirmDialog({ title, children, action, typed, isBusy, error, onConfirm, onClose }: Props) {
  const [text, setText] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onConfirm()
  }
  return (
    <Dialog title={title} onClose={onClose} isBusy={isBusy}>
      <Form onSubmit={submit}>
        <Stack>
          {children}
          {typed !== undefined && (
            <TextInput
              label={<>{texts.typeToConfirm({ name: <bdi className="foreign">{typed}</bdi> })}</>}
              autoComplete="off"
              data-autofocus
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {error !== null && error !== undefined && <RefusalNotice error={error} />}
          <SubmitRow
            onCancel={onClose}
            label={action}
            isBusy={isBusy}
            isDisabled={typed !== undefined && asShown(text) !== asShown(typed)}
            isDanger
          />
        </Stack>
      </Form>
    </Dialog>
  )
}

/** A page shows several spaces as one, so the user cannot see how many to type. */
const asShown = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
