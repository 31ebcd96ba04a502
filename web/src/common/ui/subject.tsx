import { isRecordId } from '../format/record-name.ts'
import { ForeignName } from './foreign-text.tsx'
import { ShownId } from './short-id.tsx'

/** What an event in a list is about, with its id in grey, by which rows of the same record are told apart. */
export const Subject = ({ record, eventId }: { record: string | null; eventId: string }) => (
  <span className="subject">
    {record !== null &&
      (isRecordId(record) ? <ShownId id={record} /> : <ForeignName text={record} limit={24} />)}
    <ShownId id={eventId} />
  </span>
)
