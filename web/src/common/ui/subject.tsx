import { isRecordId } from '../format/record-name.ts'
import { ForeignName } from './foreign-text.tsx'
import { ShownId } from './short-id.tsx'

type Props = {
  /** The id of the record, and its name. */
  readonly record: string | null
  readonly name: string | null
  readonly eventId: string
}

/**
 * The record that an event in a list is about, by its name, or by its id if it has no name. If there is room, the id of the
 * event stands beside it in grey, so that rows of the same record differ.
 */
export const Subject = ({ record, name, eventId }: Props) => (
  <span className="subject">
    {name !== null ? (
      <span className="subject-name">
        <ForeignName text={name} limit={80} />
      </span>
    ) : (
      record !== null &&
      (isRecordId(record) ? <ShownId id={record} /> : <ForeignName text={record} limit={24} />)
    )}
    <ShownId id={eventId} />
  </span>
)
