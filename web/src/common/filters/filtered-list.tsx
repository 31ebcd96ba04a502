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
  /** In place of the list where there is nothing at all. */
  readonly none: ReactNode
  /** Shows the items; there is one at least. */
  readonly children: (items: readonly Item[]) => ReactNode
  readonly foot?: ReactNode
}

/** A list by cursor that the filters in the URL narrow: its items, or that none matches, and what leads to more of them. */
export function FilteredList<Item>({ list, isFiltered, none, children, foot }: Props<Item>) {
  const { get, set, clear } = useUrlFilters()
  return (
    <Loaded reading={list}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.data)
        // A list that is followed has no next part to offer, but may go on all the same.
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
