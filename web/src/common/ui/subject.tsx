import { isRecordId } from '../format/record-name.ts'
import { ForeignName } from './foreign-text.tsx'
import { ShownId } from './short-id.tsx'

type Props = {
  /** The id of the record, and what people call it. */
  readonly record: string | null
  readonly name: string | null
  readonly eventId: string
}

/**
 * What an event in a list is about: the name of the record, or its id where it has none. Beside it in grey is the id of the event, as
 * far as there is room: rows of the same record are told apart by it.
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
