import type { Notice } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal, showUndo } from '../common/ui/toasts.tsx'
import { texts } from './texts.ts'

/** For whom a notice is done or open. */
type For = 'me' | 'all'

export type Marks = {
  /** Makes a notice done or open, and lets it be taken back. @param onMarked it is so now, and the list is about to say so */
  readonly mark: (notice: Notice, whom: For, isDone: boolean, onMarked: () => void) => void
  /** Makes this notice and all before it done for the user. */
  readonly markUpTo: (notice: Notice) => void
}

const PATHS: Readonly<Record<For, string>> = { me: '', all: '/for-all' }

/** Gives the focus to the heading, where what had it is about to go. */
export const focusTitle = (): void => document.querySelector('h1')?.focus()

/** Makes notices done, and open again. The badge of the side bar is read anew with everything else. */
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
