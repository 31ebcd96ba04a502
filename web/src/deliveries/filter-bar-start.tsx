import type { FilteredPage } from '../common/api/wire.ts'
import { SavedFilters } from '../common/filters/saved-filters.tsx'
import { SEARCH_LENGTH } from '../common/filters/search.ts'
import { texts } from '../common/filters/texts.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { FilterText } from '../common/ui/filter-text.tsx'
import { chosenFilters, savedQuery } from './filters.ts'

/** The start of the filters of deliveries and of events: the saved filters and the search. */
export function FilterBarStart({ page }: { page: FilteredPage }) {
  const { get, replaceAll } = useUrlFilters()
  return (
    <>
      <SavedFilters
        page={page}
        query={savedQuery(get)}
        onChoose={(query) => replaceAll(chosenFilters(query, get('tab')))}
      />
      <FilterText name="q" label={texts.search} placeholder={texts.searchExample} maxLength={SEARCH_LENGTH} />
    </>
  )
}
