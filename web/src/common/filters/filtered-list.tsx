import type { ReactNode } from 'react'
import type { useParts } from '../session/queries.ts'
import { useUrlFilters } from '../session/url-filters.ts'
import { Loaded } from '../ui/loaded.tsx'
import { NoMatch } from '../ui/no-match.tsx'
import { ListEnd } from './list-end.tsx'
import { WIDEST_SPAN } from './search.ts'

type Props<Item> = {
  readonly list: ReturnType<typeof useParts<Item>>
  readonly isFiltered: boolean
  /** Shown in place of the list if there are no items at all, whatever the filters. */
  readonly none: ReactNode
  /** Shows the items. There is at least one. */
  readonly children: (items: readonly Item[]) => ReactNode
  readonly foot?: ReactNode
}

/**
 * A list by cursor, narrowed by the filters in the URL. It shows the items or says that none matches, and offers to load more.
 */
export function FilteredList<Item>({ list, isFiltered, none, children, foot }: Props<Item>) {
  const { get, set, clear } = useUrlFilters()
  return (
    <Loaded reading={list}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.data)
        // A list that is followed offers no next part, although it may have one.
        const isOver = items.length === 0 && !pages.at(-1)?.pagination.has_more
        if (isOver && !isFiltered) return none
        return (
          <>
            {isOver && <NoMatch onClear={clear} />}
            {items.length > 0 && children(items)}
            <ListEnd
              list={list}
              isEmpty={items.length === 0}
              onWiden={get('within') === '' ? () => set({ within: WIDEST_SPAN }) : undefined}
            />
            {foot}
          </>
        )
      }}
    </Loaded>
  )
}
