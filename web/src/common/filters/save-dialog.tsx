import { Stack } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { FilteredPage, NewSavedFilter, SavedFilter } from '../api/wire.ts'
import { useChange } from '../session/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { RefusalNotice } from '../ui/refusal-notice.tsx'
import { SubmitRow } from '../ui/submit-row.tsx'
import { TextField } from '../ui/fields.tsx'
import { Form } from '../ui/form.tsx'
import { texts } from './texts.ts'

/** The service stores this many characters. */
export const NAME_LENGTH = 60

type Props = { readonly page: FilteredPage; readonly query: string; readonly onClose: () => void }

/** Saves the current filters under a name. */
export function SaveDialog({ page, query, onClose }: Props) {
  const [name, setName] = useState('')
  const { mutate, isPending, error } = useChange<SavedFilter>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const body: NewSavedFilter = { name: name.trim(), page, query }
    mutate({ method: 'POST', path: '/saved-filters', body }, { onSuccess: onClose })
  }
  return (
    <Dialog title={texts.saveTitle} onClose={onClose} size="sm" isBusy={isPending}>
      <Form onSubmit={submit}>
        <Stack>
          <TextField
            name="name"
            label={texts.name}
            maxLength={NAME_LENGTH}
            required
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {error && <RefusalNotice error={error} />}
          <SubmitRow
            onCancel={onClose}
            label={texts.save}
            isBusy={isPending}
            isDisabled={name.trim() === ''}
          />
        </Stack>
      </Form>
    </Dialog>
  )
}
