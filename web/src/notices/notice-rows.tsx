import type { Notice } from '../common/api/wire.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS, placeOf } from './notice-kinds.ts'
import { texts } from './texts.ts'

export function NoticeRows({ notices }: { notices: readonly Notice[] }) {
  return (
    <DataTable label={texts.notices} columns={[texts.what, texts.message, texts.where, texts.when]}>
      {notices.map((notice) => {
        const [tone, name] = NOTICE_KINDS[notice.kind]
        const [href, link] = placeOf(notice)
        return (
          <Row
            key={notice.id}
            cells={[
              <Status key="what" tone={tone}>
                {name}
              </Status>,
              <div key="message">
                <ForeignText text={notice.message} limit={400} />
              </div>,
              <RowLink key="where" href={href}>
                {link}
              </RowLink>,
              <When key="when" at={notice.created_at} />,
            ]}
          />
        )
      })}
    </DataTable>
  )
}
