import { Button, Group, Stack, Text } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { Dialog } from '../common/ui/dialog.tsx'
import { Status } from '../common/ui/status.tsx'
import { verifySignature, type Verdict } from './verify-signature.ts'
import { Form } from '../common/ui/form.tsx'
import { PasswordField, TextField } from '../common/ui/fields.tsx'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = { readonly eventId: string; readonly body: string; readonly onClose: () => void }

/** Checks a request against the secret, in the browser. */
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
      <Form onSubmit={submit}>
        <Stack>
          <Text size="sm">{texts.verifyHow}</Text>
          <PasswordField
            name="secret"
            label={texts.signingSecret}
            placeholder={texts.secretExample}
            required
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': texts.showTheSecret }}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          <TextField
            name="timestamp"
            label={texts.timestampHeader}
            required
            value={timestamp}
            onChange={(event) => setTimestamp(event.currentTarget.value)}
          />
          <TextField
            name="signatures"
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
          <DialogFoot>
            <Button type="submit">{texts.verify}</Button>
          </DialogFoot>
        </Stack>
      </Form>
    </Dialog>
  )
}
