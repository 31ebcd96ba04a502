import { Button, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Key, RotatedKey } from '../common/api/wire.ts'
import { hoursOrDays } from '../common/format/durations.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { useNow } from '../common/ui/now.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Moment } from '../common/ui/when.tsx'
import { ExpiryInput } from './expiry-input.tsx'
import { expiryOf, SAME_LENGTH, sameLengthExpiry } from './expiry.ts'
import { NewKeyShown } from './new-key-shown.tsx'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

/** The grace period that the specification recommends. */
const RECOMMENDED = '24h'

/**
 * Rotates a key: issues a new key with the same settings. It asks how long the old key still works, and when the new one
 * expires.
 */
export function RotateDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { rotation_graces: graces } = useSession().settings
  const [, navigate] = useLocation()
  const [grace, setGrace] = useState(RECOMMENDED)
  const [expiry, setExpiry] = useState({
    choice: apiKey.expires_at === null ? 'none' : SAME_LENGTH,
    custom: '',
  })
  // Fixed for the dialog, so that a repeat after a lost answer sends the same body.
  const [openedAt] = useState(() => new Date())
  const rotate = useChange<RotatedKey>()
  const now = useNow('seconds')
  const seconds = graces.find(({ name }) => name === grace)?.seconds ?? 0
  const isSameLength = expiry.choice === SAME_LENGTH
  const sameLength = sameLengthExpiry(apiKey, now)
  const chosen = isSameLength ? sameLength?.toISOString() : expiryOf(expiry.choice, expiry.custom, openedAt)
  if (rotate.data) {
    const { id, key } = rotate.data
    return <NewKeyShown apiKey={key} onDone={() => navigate(`/keys/${id}`)} />
  }
  return (
    <Dialog
      title={texts.rotateTitle({ name: apiKey.name })}
      onClose={onClose}
      hasInput={expiry.custom !== ''}
      isBusy={rotate.isPending}
    >
      <Stack>
        <Text>{texts.rotateMeans}</Text>
        <Radio.Group label={texts.gracePeriod} value={grace} onChange={setGrace}>
          <Stack gap="xs" mt="xs">
            {graces.map((each) => (
              <Radio
                key={each.name}
                value={each.name}
                label={`${hoursOrDays(each.seconds)}${each.name === RECOMMENDED ? ' (recommended)' : ''}`}
              />
            ))}
          </Stack>
        </Radio.Group>
        <ExpiryInput
          label={texts.newKeyExpires}
          first={sameLength ? [{ value: SAME_LENGTH, label: texts.sameLength }] : []}
          choice={expiry.choice}
          custom={expiry.custom}
          onChange={(choice, custom) => setExpiry({ choice, custom })}
        />
        <Text size="sm">
          {texts.oldKeyStops({
            at: <Moment at={endOf(apiKey, now, seconds).toISOString()} />,
            newKey:
              chosen === undefined
                ? texts.newKeyNeedsDate
                : chosen === null
                  ? texts.newKeyNeverExpires
                  : texts.newKeyExpiresAt({ when: <Moment at={chosen} /> }),
          })}
        </Text>
        {rotate.error && <RefusalNotice error={rotate.error} />}
        <DialogFoot>
          <Button variant="default" disabled={rotate.isPending} onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button
            loading={rotate.isPending}
            disabled={chosen === undefined}
            onClick={() =>
              rotate.mutate({
                method: 'POST',
                path: `/keys/${apiKey.id}/rotate`,
                body: { grace, ...(!isSameLength && { expires_at: chosen }) },
              })
            }
          >
            {texts.rotate}
          </Button>
        </DialogFoot>
      </Stack>
    </Dialog>
  )
}

/** A rotation never makes the old key live longer. */
function endOf({ expires_at }: Key, now: Date, graceSeconds: number): Date {
  const end = new Date(now.getTime() + graceSeconds * 1_000)
  return expires_at !== null && new Date(expires_at) < end ? new Date(expires_at) : end
}
