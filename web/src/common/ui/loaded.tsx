import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { describeRefusal } from '../api/describe-refusal.ts'
import { isRefusal } from '../api/refusal.ts'
import { NothingHere } from './no-such-page.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { texts } from './texts.ts'

type Reading<Data> = {
  readonly data: Data | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

type Props<Data> = {
  readonly reading: Reading<Data>
  readonly children: (data: Data) => ReactNode
}

/**
 * Shows data: a skeleton until it arrives, and the error if it does not. If only the newest read failed, it shows the older
 * data with the error. An object that does not exist is not an error of the service, so there is no «Try again».
 */
export function Loaded<Data>({ reading: { data, error, refetch }, children }: Props<Data>) {
  const isGone = isRefusal(error, 'NOT_FOUND')
  if (data === undefined && isGone) return <Missing error={error} />
  return (
    <>
      {error && <RefusalNotice error={error} onRetry={isGone ? undefined : () => void refetch()} />}
      {data === undefined ? !error && <Waiting /> : children(data)}
    </>
  )
}

export function Waiting() {
  return (
    <Stack gap="md" className="waiting" role="status" aria-label={texts.loading}>
      {[1, 2, 3, 4].map((line) => (
        <Skeleton key={line} height={20} />
      ))}
    </Stack>
  )
}

function Missing({ error }: { error: Error }) {
  const { title, message } = describeRefusal(error)
  return (
    <div role="alert">
      <NothingHere title={title}>{message}</NothingHere>
    </div>
  )
}
