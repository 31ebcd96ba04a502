import { Button, Group, Text } from '@mantine/core'
import { texts } from './texts.ts'

/** A list that has records, but none that the filters let through. */
export const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Group>
    <Text>{texts.nothingMatches}</Text>
    <Button size="xs" variant="default" onClick={onClear}>
      {texts.clearFilters}
    </Button>
  </Group>
)
