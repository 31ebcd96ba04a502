import type { Notice } from '../common/api/wire.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { When } from '../common/ui/when.tsx'
import { NoticeDone } from './notice-done.tsx'
import { NOTICE_KINDS } from './notice-kinds.ts'
import { NoticeSentence } from './notice-sentence.tsx'
import { texts } from './texts.ts'
import type { Marks } from './use-marks.ts'

type Props = {
  readonly notices: readonly Notice[]
  readonly marks: Marks
  /** Whether a notice leaves the list once it is marked. */
  readonly leaves: boolean
}

const COLUMNS = [texts.message, texts.when, { name: texts.done, isControl: true }] as const

export function NoticeRows({ notices, marks, leaves }: Props) {
  return (
    <DataTable label={texts.notices} columns={COLUMNS}>
      {notices.map((notice) => {
        const [tone] = NOTICE_KINDS[notice.kind]
        return (
          <Row
            key={notice.id}
            cells={[
              <span key="message" className="with-dot">
                <span className="dot" data-tone={tone} aria-hidden="true" />
                <NoticeSentence notice={notice} />
              </span>,
              <When key="when" at={notice.created_at} />,
              <NoticeDone key="done" notice={notice} marks={marks} leaves={leaves} />,
            ]}
          />
        )
      })}
    </DataTable>
  )
}
