import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { NewRecoveryCodes, TotpRemoved, TotpSecret } from '../common/api/wire.ts'
import { plural } from '../common/format/numbers.ts'
import { useClient, useSession } from '../common/session/context.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'
import { useOwnChange } from './use-own.ts'

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
        <Title order={2} size="h3" id="second-factor">
          Second factor
        </Title>
        <Group gap="xs">
          <Status tone={user.totp_enabled ? 'good' : 'idle'}>{user.totp_enabled ? 'on' : 'off'}</Status>
          {user.totp_enabled && (
            <Text size="sm">{plural(user.recovery_codes_left, 'recovery code')} left.</Text>
          )}
        </Group>
        {user.totp_locked_at !== null && (
          <Alert variant="outline" color="red" title="Locked">
            Somebody gave your password and ten wrong codes, the last one <When at={user.totp_locked_at} />.
            If it was not you, change your password. Codes of your authenticator are taken again once an admin
            unlocks them, or when you sign in with a recovery code.
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
              New recovery codes
            </Button>
            <Button variant="default" onClick={() => setRemoving(true)}>
              Switch off
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
                Set up an authenticator
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
      title="Switch the second factor off?"
      action="Switch off"
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
      <Text>Then your password alone opens your account. Your recovery codes become void.</Text>
    </ConfirmDialog>
  )
}
