import { useSearchParams } from 'wouter'

/** The values of the query in the address, by name. A missing name has an empty value. */
export type UrlFilters = {
  readonly get: (name: string) => string
  /** Sets some filters and keeps the others. An empty value removes a filter. */
  readonly set: (changes: Readonly<Record<string, string>>) => void
  /** Sets these filters and removes all others. */
  readonly replaceAll: (filters: Readonly<Record<string, string>>) => void
  /** Removes all filters. The tab of the page stays. */
  readonly clear: () => void
}

/** Filters in the URL. So a link to the page shows the same list, and the back button undoes a change. */
export function useUrlFilters(): UrlFilters {
  const [params, setParams] = useSearchParams()
  const get = (name: string) => params.get(name) ?? ''
  const replaceAll = (filters: Readonly<Record<string, string>>) => setParams(new URLSearchParams(filters))
  return {
    get,
    set: (changes) => {
      setParams((former) => {
        const next = new URLSearchParams(former)
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name)
          else next.set(name, value)
        }
        return next
      })
    },
    replaceAll,
    clear: () => replaceAll(get('tab') === '' ? {} : { tab: get('tab') }),
  }
}
