import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Dialog } from '../common/ui/dialog.tsx'
import { Status } from '../common/ui/status.tsx'
import { verifySignature, type Verdict } from './verify-signature.ts'

type Props = { readonly eventId: string; readonly body: string; readonly onClose: () => void }

/** Checks what an endpoint got against the secret, in the browser. */
export function VerifyDialog({ eventId, body, onClose }: Props) {
  const [secret, setSecret] = useState('')
  const [timestamp, setTimestamp] = useState('')
  const [signatures, setSignatures] = useState('')
  const [verdict, setVerdict] = useState<Verdict>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void verifySignature({ secret, eventId, timestamp, signatures, body }).then(setVerdict)
  }
  return (
    <Dialog title="Verify a signature" onClose={onClose} hasInput={secret + timestamp + signatures !== ''}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Enter what your endpoint received with this event. The secret stays in this page: it is sent
            nowhere.
          </Text>
          <PasswordInput
            label="Signing secret"
            placeholder="whsec_…"
            required
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          <TextInput
            label="webhook-timestamp"
            required
            value={timestamp}
            onChange={(event) => setTimestamp(event.currentTarget.value)}
          />
          <TextInput
            label="webhook-signature"
            placeholder="v1,…"
            required
            value={signatures}
            onChange={(event) => setSignatures(event.currentTarget.value)}
          />
          <div role="status">
            {verdict && (
              <Group gap="xs">
                <Status tone={verdict.isOurs ? 'good' : 'bad'}>{verdict.isOurs ? 'right' : 'wrong'}</Status>
                <Text size="sm">{verdict.reason}</Text>
              </Group>
            )}
          </div>
          <Group justify="flex-end">
            <Button type="submit">Verify</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
