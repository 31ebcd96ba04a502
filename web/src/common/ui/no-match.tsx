import { Button, Group, Text } from '@mantine/core'
import { texts } from './texts.ts'

/** Shown when no record matches the filters. */
export const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Group>
    <Text>{texts.nothingMatches}</Text>
    <Button size="xs" variant="default" onClick={onClear}>
      {texts.clearFilters}
    </Button>
  </Group>
)
