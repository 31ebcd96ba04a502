import { Alert, Text } from '@mantine/core'
import type { Key } from '../common/api/keys.js'
import { useParts } from '../common/session/queries.js'
import { TextLink } from '../common/ui/text-link.js'
import { Countdown } from '../common/ui/when.js'

/** Says on a new key how long the one that it replaces still works. */
export function ReplacedKey({ keyId }: { keyId: string }) {
  const { data } = useParts<Key>('/keys', { state: 'in_rotation', limit: 100 })
  const old = data?.pages.flatMap((page) => page.data).find(({ rotated_to }) => rotated_to === keyId)
  if (!old?.expires_at) return null
  return (
    <Alert variant="outline" mt="md" title="The old key still works">
      <Text size="sm">
        For another <Countdown until={old.expires_at} />. Until then both keys are accepted.{' '}
        <TextLink href={`/keys/${old.id}`}>Look at the old key</TextLink>
      </Text>
    </Alert>
  )
}
