import { recordName } from '../format/record-name.ts'
import { ForeignName } from './foreign-text.tsx'

/** Shows the name of the event's record beside a title, if the payload has one. */
export function RecordName({ payload }: { payload: unknown }) {
  const name = recordName(payload)
  return (
    name !== undefined && (
      <span className="record-name">
        <ForeignName text={name} limit={60} />
      </span>
    )
  )
}
