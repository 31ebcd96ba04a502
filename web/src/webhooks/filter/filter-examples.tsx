import { Stack, Text } from '@mantine/core'
import type { FilterPreview } from '../../common/api/wire.ts'
import { ForeignText } from '../../common/ui/foreign-text.tsx'
import { texts } from './texts.ts'

/** Shows which of the latest real events the filter lets through. */
export function FilterExamples({ preview: { examined, matched, examples } }: { preview: FilterPreview }) {
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {examined === 0 ? texts.noEventYet : texts.matches({ matched, examined })}
      </Text>
      {examples.map(({ event_id, matched: isMatch, because }) => (
        <Text key={event_id} size="sm">
          {isMatch ? texts.sent : texts.notSent}: <code>{event_id}</code>{' '}
          <ForeignText text={because} limit={200} />
        </Text>
      ))}
    </Stack>
  )
}
