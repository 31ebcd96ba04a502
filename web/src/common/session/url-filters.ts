import { useSearchParams } from 'wouter'

/** Names and values of the address's query; an absent name is empty text. */
export type UrlFilters = {
  readonly get: (name: string) => string
  /** Sets some of them and leaves the others alone. Empty text removes a name. */
  readonly set: (changes: Readonly<Record<string, string>>) => void
  /** Sets these and removes all others. */
  readonly replaceAll: (filters: Readonly<Record<string, string>>) => void
  /** Removes all of them; the tab of the page stays. */
  readonly clear: () => void
}

/** Filters that live in the URL, so that a link to the page shows the same and the back button undoes them. */
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
