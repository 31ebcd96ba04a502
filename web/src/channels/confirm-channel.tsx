import { Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type SubmitEvent } from 'react'
import type { Channel } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { SubmitRow } from '../common/ui/submit-row.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { Form } from '../common/ui/form.tsx'
import { texts } from './texts.ts'

type Props = { readonly channel: Channel; readonly onClose: () => void }

/** Asks for the code that was mailed to the address. */
export function ConfirmChannel({ channel: { id, target }, onClose }: Props) {
  const [code, setCode] = useState('')
  const confirm = useChange<Channel>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirm.mutate(
      { method: 'POST', path: `/channels/${id}/confirm`, body: { code } },
      {
        onSuccess: () => {
          notifications.show({ message: texts.confirmed({ target }) })
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title={texts.confirmTitle({ target })} onClose={onClose} isBusy={confirm.isPending}>
      <Form onSubmit={submit}>
        <Stack>
          <Text size="sm">{texts.codeMailed}</Text>
          <TextField
            name="code"
            label={texts.code}
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            data-autofocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {confirm.error && <RefusalNotice error={confirm.error} />}
          <SubmitRow onCancel={onClose} label={texts.confirm} isBusy={confirm.isPending} />
        </Stack>
      </Form>
    </Dialog>
  )
}
