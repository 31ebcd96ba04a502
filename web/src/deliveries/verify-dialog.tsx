import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Dialog } from '../common/ui/dialog.tsx'
import { Status } from '../common/ui/status.tsx'
import { verifySignature, type Verdict } from './verify-signature.ts'
import { texts } from './texts.ts'

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
    <Dialog
      title={texts.verifyASignature}
      onClose={onClose}
      hasInput={secret + timestamp + signatures !== ''}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{texts.verifyHow}</Text>
          <PasswordInput
            label={texts.signingSecret}
            placeholder={texts.secretExample}
            required
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': texts.showTheSecret }}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          <TextInput
            label={texts.timestampHeader}
            required
            value={timestamp}
            onChange={(event) => setTimestamp(event.currentTarget.value)}
          />
          <TextInput
            label={texts.signatureHeader}
            placeholder={texts.signatureExample}
            required
            value={signatures}
            onChange={(event) => setSignatures(event.currentTarget.value)}
          />
          <div role="status">
            {verdict && (
              <Group gap="xs">
                <Status tone={verdict.isOurs ? 'good' : 'bad'}>
                  {verdict.isOurs ? texts.right : texts.wrong}
                </Status>
                <Text size="sm">{verdict.reason}</Text>
              </Group>
            )}
          </div>
          <Group justify="flex-end">
            <Button type="submit">{texts.verify}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
