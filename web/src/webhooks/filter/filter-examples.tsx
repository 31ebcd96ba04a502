import { Stack, Text } from '@mantine/core'
import type { FilterPreview } from '../../common/api/wire.ts'
import { ForeignText } from '../../common/ui/foreign-text.tsx'

/** What the filter does to the latest real events. */
export function FilterExamples({ preview: { examined, matched, examples } }: { preview: FilterPreview }) {
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {examined === 0
          ? 'There is no event of these types yet to try it on.'
          : `${matched} of the last ${examined} events match.`}
      </Text>
      {examples.map(({ event_id, matched: isMatch, because }) => (
        <Text key={event_id} size="sm">
          {isMatch ? 'Sent' : 'Not sent'}: <code>{event_id}</code> <ForeignText text={because} limit={200} />
        </Text>
      ))}
    </Stack>
  )
}
