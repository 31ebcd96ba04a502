import { hasMore, type Page } from '../domain/pagination.js'

/** A page as lists answer it: the presented items and the spec's pagination object. */
export const presentPage = <T>(page: Page<T>, present: (item: T) => unknown) => ({
  data: page.items.map(present),
  pagination: { total: page.total, limit: page.limit, page: page.page, has_more: hasMore(page) },
})
