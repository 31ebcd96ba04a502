import { Button, Group, Text } from '@mantine/core'

/** A list that has records, but none that the filters let through. */
export const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Group>
    <Text>Nothing matches these filters.</Text>
    <Button size="xs" variant="default" onClick={onClear}>
      Clear filters
    </Button>
  </Group>
)
