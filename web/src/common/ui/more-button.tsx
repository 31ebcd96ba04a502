import { Button, Group, Text } from '@mantine/core'
import { texts } from './texts.ts'

export type MoreList = {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/**
 * Loads the next part of a list by cursor. With a filter a part may be empty although more parts follow, so it says that too.
 *
 * @param list the result of useParts
 */
export function MoreButton({ list, isEmpty }: { list: MoreList; isEmpty: boolean }) {
  if (!list.hasNextPage) return null
  return (
    <Group mt="sm">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {isEmpty ? texts.searchFurtherBack : texts.showMore}
      </Button>
      {isEmpty && <Text size="sm">{texts.nothingSoFar}</Text>}
    </Group>
  )
}
