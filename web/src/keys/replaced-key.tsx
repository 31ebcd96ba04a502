import { Alert, Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { TextLink } from '../common/ui/text-link.tsx'
import { Countdown } from '../common/ui/when.tsx'

/** Says on a new key how long the one that it replaces still works. */
export function ReplacedKey({ replaced }: { replaced: NonNullable<Key['replaces']> }) {
  return (
    <Alert variant="outline" mt="md" title="The old key still works">
      <Text size="sm">
        For another <Countdown until={replaced.expires_at} />. Until then both keys are accepted.{' '}
        <TextLink href={`/keys/${replaced.id}`}>Look at the old key</TextLink>
      </Text>
    </Alert>
  )
}
