import { Alert, Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { TextLink } from '../common/ui/text-link.tsx'
import { Moment } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** Says on the page of a new key until when the key that it replaces still works. */
export function ReplacedKey({ replaced }: { replaced: NonNullable<Key['replaces']> }) {
  return (
    <Alert variant="outline" mt="md" title={texts.oldKeyWorks}>
      <Text size="sm">
        {texts.bothWork({
          when: <Moment at={replaced.expires_at} />,
          link: <TextLink href={`/keys/${replaced.id}`}>{texts.lookAtTheOldKey}</TextLink>,
        })}
      </Text>
    </Alert>
  )
}
