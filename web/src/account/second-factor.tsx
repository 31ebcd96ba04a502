import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { NewRecoveryCodes, TotpRemoved, TotpSecret } from '../common/api/wire.ts'
import { useClient, useSession } from '../common/session/context.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'
import { useOwnChange } from './use-own.ts'
import { texts } from './texts.ts'

/** The second factor: an authenticator's code besides the password, and codes for when it is lost. */
export function SecondFactor() {
  const client = useClient()
  const { user } = useSession()
  const [codes, setCodes] = useState<readonly string[]>()
  const [isRemoving, setRemoving] = useState(false)
  const begin = useOwnChange<TotpSecret>()
  const renew = useOwnChange<NewRecoveryCodes>()
  // The document is read when the codes are stored, so that nothing moves under them.
  const done = () => {
    setCodes(undefined)
    begin.reset()
    void client.session()
  }
  return (
    <section aria-labelledby="second-factor">
      <Stack>
        <Title order={2} id="second-factor">
          {texts.secondFactor}
        </Title>
        <Group gap="xs">
          <Status tone={user.totp_enabled ? 'good' : 'idle'}>
            {user.totp_enabled ? texts.on : texts.off}
          </Status>
          {user.totp_enabled && (
            <Text size="sm">{texts.codesLeft({ number: user.recovery_codes_left })}</Text>
          )}
        </Group>
        {user.totp_locked_at !== null && (
          <Alert variant="outline" color="red" title={texts.locked}>
            {texts.lockedBecause({ when: <When at={user.totp_locked_at} /> })}
          </Alert>
        )}
        {user.totp_enabled ? (
          <Group>
            <Button
              variant="default"
              loading={renew.isPending}
              onClick={() =>
                renew.mutate(
                  { method: 'POST', path: '/totp/recovery-codes', body: {} },
                  { onSuccess: ({ recovery_codes }) => setCodes(recovery_codes) },
                )
              }
            >
              {texts.newRecoveryCodes}
            </Button>
            <Button variant="default" onClick={() => setRemoving(true)}>
              {texts.switchOff}
            </Button>
          </Group>
        ) : (
          !begin.data && (
            <div>
              <Button
                variant="default"
                loading={begin.isPending}
                onClick={() => begin.mutate({ method: 'POST', path: '/totp', body: {} })}
              >
                {texts.setUp}
              </Button>
            </div>
          )
        )}
        {begin.data && !codes && <TotpSetup secret={begin.data} onConfirmed={setCodes} />}
        {begin.error && <RefusalNotice error={begin.error} />}
        {renew.error && <RefusalNotice error={renew.error} />}
        {codes && <RecoveryCodes codes={codes} onDone={done} />}
        {isRemoving && <SwitchOff onClose={() => setRemoving(false)} />}
      </Stack>
    </section>
  )
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  const client = useClient()
  const remove = useOwnChange<TotpRemoved>()
  return (
    <ConfirmDialog
      title={texts.switchOffTitle}
      action={texts.switchOff}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: '/totp' },
          {
            onSuccess: () => {
              onClose()
              void client.session()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>{texts.switchOffMeans}</Text>
    </ConfirmDialog>
  )
}
