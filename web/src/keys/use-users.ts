import { useEffect } from 'react'
import type { User } from '../common/api/wire.ts'
import { useParts } from '../common/session/queries.ts'

/** All users of the company, read part by part. It returns the users that have arrived so far. */
export function useUsers(): readonly User[] {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useParts<User>('/users', { limit: 100 })
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  return data?.pages.flatMap((page) => page.data) ?? []
}
