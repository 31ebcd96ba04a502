import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Key, RotatedKey } from '../common/api/keys.ts'
import { inWords } from '../common/format/durations.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { useNow } from '../common/ui/now.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { ExactTime } from '../common/ui/when.tsx'
import { NewKeyShown } from './new-key-shown.tsx'

/** The specification recommends it. */
const RECOMMENDED = '24h'

/** Issues a new key with the settings of this one, and asks how long this one shall still work. */
export function RotateDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { rotation_graces: graces } = useSession().settings
  const [, navigate] = useLocation()
  const [grace, setGrace] = useState(RECOMMENDED)
  const rotate = useChange<RotatedKey>()
  const now = useNow('by seconds')
  const seconds = graces.find(({ name }) => name === grace)?.seconds ?? 0
  if (rotate.data) {
    const { id, key } = rotate.data
    return <NewKeyShown apiKey={key} onDone={() => navigate(`/keys/${id}`)} />
  }
  return (
    <Dialog title="Rotate this key" onClose={onClose}>
      <Stack>
        <Text>
          You get a new key with the same scopes, allowlist, type and name. Both keys work until the grace
          period ends, so you can exchange them without a gap.
        </Text>
        <Radio.Group label="Grace period" value={grace} onChange={setGrace}>
          <Stack gap="xs" mt="xs">
            {graces.map((each) => (
              <Radio
                key={each.name}
                value={each.name}
                label={`${inWords(each.seconds)}${each.name === RECOMMENDED ? ' (recommended)' : ''}`}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm">
          The old key stops working at <ExactTime at={endOf(apiKey, now, seconds).toISOString()} />.
        </Text>
        {rotate.error && <RefusalNotice error={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={rotate.isPending}
            onClick={() =>
              rotate.mutate({ method: 'POST', path: `/keys/${apiKey.id}/rotate`, body: { grace } })
            }
          >
            Rotate
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** A rotation never prolongs a key's life. */
function endOf({ expires_at }: Key, now: Date, graceSeconds: number): Date {
  const end = new Date(now.getTime() + graceSeconds * 1_000)
  return expires_at !== null && new Date(expires_at) < end ? new Date(expires_at) : end
}
