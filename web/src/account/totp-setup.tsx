import { Button, Group, Stack, Text } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { NewRecoveryCodes, TotpSecret } from '../common/api/wire.ts'
import { Copy } from '../common/ui/copy.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { QrCode } from './qr-code.tsx'
import { useOwnChange } from './use-own.ts'
import { Form } from '../common/ui/form.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly secret: TotpSecret
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void
}

/** Shows the secret to be entered in an authenticator app, and asks for a code as a proof. Before that nothing changes. */
export function TotpSetup({ secret, onConfirmed }: Props) {
  const [code, setCode] = useState('')
  const confirm = useOwnChange<NewRecoveryCodes>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirm.mutate(
      { method: 'POST', path: '/totp/confirm', body: { code: code.trim() } },
      { onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes) },
    )
  }
  return (
    <Form onSubmit={submit}>
      <Stack>
        <Text>{texts.scanThis}</Text>
        <QrCode text={secret.otpauth_url} label={texts.qrCode} />
        <Group gap="xs">
          <code className="secret">{secret.secret}</code>
          <Copy text={secret.secret} what={texts.secret} />
        </Group>
        <TextField
          name="code"
          label={texts.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maw={200}
          value={code}
          error={faultsByField(confirm.error, ['code'])['code']}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {confirm.error && <RefusalNotice error={confirm.error} />}
        <div>
          <Button type="submit" loading={confirm.isPending}>
            {texts.switchOn}
          </Button>
        </div>
      </Stack>
    </Form>
  )
}
