import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { SavedFilter } from '../api/wire.ts'
import { useChange } from '../session/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { RefusalNotice } from '../ui/refusal-notice.tsx'
import { NAME_LENGTH } from './save-dialog.tsx'
import { DialogFoot } from '../ui/dialog-foot.tsx'
import { Form } from '../ui/form.tsx'
import { texts } from './texts.ts'

/** Renames and deletes saved filters. */
export function ManageDialog({ saved, onClose }: { saved: readonly SavedFilter[]; onClose: () => void }) {
  return (
    <Dialog title={texts.manageTitle} onClose={onClose}>
      <Stack>
        {saved.map((filter) => (
          <SavedFilterForm key={filter.id} filter={filter} />
        ))}
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            {texts.close}
          </Button>
        </DialogFoot>
      </Stack>
    </Dialog>
  )
}

function SavedFilterForm({ filter: { id, name } }: { filter: SavedFilter }) {
  const [text, setText] = useState(name)
  const { mutate, isPending, variables, error } = useChange()
  const path = `/saved-filters/${id}`
  // Stays true until the filter has gone from the dialog's list.
  const isRemoving = variables?.method === 'DELETE' && error === null
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate({ method: 'PATCH', path, body: { name: text.trim() } })
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            aria-label={texts.nameOf({ name })}
            maxLength={NAME_LENGTH}
            autoComplete="off"
            flex={1}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button
            variant="default"
            type="submit"
            aria-label={texts.renameThis({ name })}
            loading={isPending && !isRemoving}
            disabled={isRemoving || text.trim() === '' || text.trim() === name}
          >
            {texts.rename}
          </Button>
          <Button
            variant="subtle"
            color="red"
            aria-label={texts.removeThis({ name })}
            loading={isRemoving}
            disabled={isPending}
            onClick={() => mutate({ method: 'DELETE', path })}
          >
            {texts.remove}
          </Button>
        </Group>
        {error && <RefusalNotice error={error} />}
      </Stack>
    </Form>
  )
}
