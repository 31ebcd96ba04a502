import type { Notice } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal, showUndo } from '../common/ui/toasts.tsx'
import { texts } from './texts.ts'

/** For whom a notice becomes done or open: the user, or all users. */
type For = 'me' | 'all'

export type Marks = {
  /** Marks a notice as done or open, and offers to undo that. @param onMarked called just before the list shows it */
  readonly mark: (notice: Notice, whom: For, isDone: boolean, onMarked: () => void) => void
  /** Marks this notice and all older ones as done for the user. */
  readonly markUpTo: (notice: Notice) => void
}

const PATHS: Readonly<Record<For, string>> = { me: '', all: '/for-all' }

/** Focuses the heading, if the element with the focus disappears. */
export const focusTitle = (): void => document.querySelector('h1')?.focus()

/** Marks notices as done or open. Afterwards all data is read again, also the badge of the side bar. */
export function useMarks(): Marks {
  const change = useChange<unknown>()
  const set = ({ id }: Notice, whom: For, isDone: boolean) =>
    change.mutateAsync({ method: 'PATCH', path: `/notices/${id}${PATHS[whom]}`, body: { done: isDone } })
  return {
    mark: (notice, whom, isDone, onMarked) =>
      void set(notice, whom, isDone).then(() => {
        onMarked()
        showUndo(texts.marked[whom][isDone ? 'done' : 'open'], () => set(notice, whom, !isDone))
      }, showRefusal),
    markUpTo: ({ id }) =>
      void change
        .mutateAsync({ method: 'PATCH', path: '/notices', body: { done_up_to: id } })
        .then(focusTitle, showRefusal),
  }
}
