import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { fromLocalInput, toLocalInput, windowFaults, type OwnTimes } from '../common/format/local-times.ts'
import { useUrlFilters, type UrlFilters } from '../common/session/url-filters.ts'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { OwnTimesInput } from '../common/ui/own-times-input.tsx'
import { OWN_TIMES, SPANS } from './filters.ts'
import { texts } from './texts.ts'

/** How long typing must pause before the list is read, in milliseconds. */
const TYPING_PAUSE_MS = 300

const DAY_MS = 86_400_000

/** A filter by the time of creation: a span until now, or two times of the reader's own, at first the last 24 hours. */
export function TimeFilter() {
  const { get, set } = useUrlFilters()
  const choose = (within: string) => {
    const after = within === OWN_TIMES ? new Date(Date.now() - DAY_MS).toISOString() : ''
    set({ within, after, before: '' })
  }
  return (
    <>
      <FilterSelect name="within" label={texts.created} data={SPANS} onChoose={choose} />
      {get('within') === OWN_TIMES && <OwnTimesFilter />}
    </>
  )
}

/** Two times, which the URL has in UTC. Times that are no valid window stay in the fields, but do not change the list. */
function OwnTimesFilter() {
  const { get, set } = useUrlFilters()
  const given = `${get('after')} ${get('before')}`
  const [seen, setSeen] = useState(given)
  const [times, setTimes] = useState(timesOf(get))
  if (given !== seen) {
    setSeen(given)
    setTimes(timesOf(get))
  }
  const faults = windowFaults(times)
  const search = useDebouncedCallback(({ since, until }: OwnTimes) => {
    if (Object.keys(windowFaults({ since, until })).length > 0) return
    set({ after: fromLocalInput(since) ?? '', before: fromLocalInput(until) ?? '' })
  }, TYPING_PAUSE_MS)
  return (
    <OwnTimesInput
      times={times}
      faults={faults}
      onChange={(typed) => {
        setTimes(typed)
        search(typed)
      }}
    />
  )
}

const timesOf = (get: UrlFilters['get']): OwnTimes => ({
  since: localOf(get('after')),
  until: localOf(get('before')),
})

/** The text in the URL may be no time, because somebody may have edited it. */
const localOf = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? '' : toLocalInput(new Date(iso)))
