import type { Notice } from '../common/api/wire.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { Status } from '../common/ui/status.tsx'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS } from './notice-kinds.ts'
import { NoticeSentence } from './notice-sentence.tsx'
import { texts } from './texts.ts'

export function NoticeRows({ notices }: { notices: readonly Notice[] }) {
  return (
    <DataTable label={texts.notices} columns={[texts.what, texts.message, texts.when]}>
      {notices.map((notice) => {
        const [tone, name] = NOTICE_KINDS[notice.kind]
        return (
          <Row
            key={notice.id}
            cells={[
              <Status key="what" tone={tone}>
                {name}
              </Status>,
              <NoticeSentence key="message" notice={notice} />,
              <When key="when" at={notice.created_at} />,
            ]}
          />
        )
      })}
    </DataTable>
  )
}
