import { Button, Text } from '@mantine/core'
import type { PartOf } from '../api/paging.ts'
import { MoreButton, type MoreList } from '../ui/more-button.tsx'
import { When } from '../ui/when.tsx'
import { texts } from './texts.ts'

type Props = {
  /** The result of useParts. */
  readonly list: MoreList & { readonly data?: { readonly pages: readonly PartOf<unknown>[] } | undefined }
  readonly isEmpty: boolean
  /** Searches further back, once a search has looked through the usual time. */
  readonly onWiden: (() => void) | undefined
}

/** Loads the next part of a list by cursor. If the list is searched, it says how far, and offers to search further back. */
export function ListEnd({ list, isEmpty, onWiden }: Props) {
  const searches = (list.data?.pages ?? []).flatMap(({ search }) => search ?? [])
  const last = searches.at(-1)
  if (!last) return <MoreButton list={list} isEmpty={isEmpty} />
  const examined = searches.reduce((sum, part) => sum + part.examined, 0)
  const from = last.searched_since
  const goOn = () => void list.fetchNextPage()
  const onMore = last.complete ? from && onWiden : goOn
  return (
    <div className="searched" role="status">
      <Text size="sm" span>
        {from ? texts.lookedAt({ examined, from: <When at={from} /> }) : texts.lookedAtAll({ examined })}
      </Text>
      {onMore && (
        <Button size="compact-sm" variant="default" loading={list.isFetchingNextPage} onClick={onMore}>
          {texts.lookFurtherBack}
        </Button>
      )}
    </div>
  )
}
