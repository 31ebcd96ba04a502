import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { NewRecoveryCodes, TotpRemoved, TotpSecret } from '../common/api/wire.ts'
import { useClient, useSession } from '../common/session/context.ts'
import { Card } from '../common/ui/card.tsx'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'
import { useOwnChange } from './use-own.ts'
import { texts } from './texts.ts'

/** The second factor: a code of an authenticator app besides the password, and recovery codes in case the app is lost. */
export function SecondFactor() {
  const client = useClient()
  const { user } = useSession()
  const [codes, setCodes] = useState<readonly string[]>()
  const [isRemoving, setRemoving] = useState(false)
  const begin = useOwnChange<TotpSecret>()
  const renew = useOwnChange<NewRecoveryCodes>()
  // The session is read only when the codes are stored, so that nothing on the page moves before that.
  const done = () => {
    setCodes(undefined)
    begin.reset()
    void client.session()
  }
  return (
    <Card
      id="second-factor"
      title={texts.secondFactor}
      note={texts.secondFactorMeans}
      action={
        <Status tone={user.totp_enabled ? 'good' : 'idle'} isBadge>
          {user.totp_enabled ? texts.on : texts.off}
        </Status>
      }
    >
      {(user.totp_locked_at !== null || begin.data !== undefined || begin.isError || renew.isError) && (
        <Stack className="card-body">
          {user.totp_locked_at !== null && (
            <Alert variant="outline" color="red" title={texts.locked}>
              {texts.lockedBecause({ when: <When at={user.totp_locked_at} /> })}
            </Alert>
          )}
          {begin.data && !codes && <TotpSetup secret={begin.data} onConfirmed={setCodes} />}
          {begin.error && <RefusalNotice error={begin.error} />}
          {renew.error && <RefusalNotice error={renew.error} />}
        </Stack>
      )}
      {user.totp_enabled ? (
        <div className="card-foot">
          <span className="quiet">{texts.codesLeft({ number: user.recovery_codes_left })}</span>
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
        </div>
      ) : (
        !begin.data && (
          <div className="card-foot">
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
      {codes && <RecoveryCodes codes={codes} onDone={done} />}
      {isRemoving && <SwitchOff onClose={() => setRemoving(false)} />}
    </Card>
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
