import { until } from './poll.ts'
import type { RunningPart } from './outputs.ts'

type Readiness = { readonly status: number; readonly parts: Readonly<Record<string, boolean>> }

/** What an api or a worker says of its readiness: the status, 0 where nobody listens, and which of its parts are there. */
export const readinessOf = ({ url }: Pick<RunningPart, 'url'>): Promise<Readiness> =>
  fetch(`${url}/readyz`).then(
    async (response) => {
      const { parts } = (await response.json()) as Readiness
      return { status: response.status, parts }
    },
    () => ({ status: 0, parts: {} }),
  )

/** Waits until it says that. @returns what it says then */
export const untilReadinessIs = (
  part: Pick<RunningPart, 'url'>,
  wanted: number,
  options?: Parameters<typeof until>[2],
): Promise<Readiness> =>
  until(
    () => readinessOf(part),
    ({ status }) => status === wanted,
    options,
  )
