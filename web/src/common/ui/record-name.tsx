import { recordName } from '../format/record-name.ts'
import { ForeignName } from './foreign-text.tsx'

/** The record of an event beside a title, where its payload names it. */
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
