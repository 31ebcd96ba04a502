import { History } from '../common/ui/history.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { texts } from './texts.ts'

/** Who did what in the company, newest first. */
export default function Audit() {
  return (
    <Permitted action="audit.read" title={texts.audit}>
      <PageTitle title={texts.audit} />
      <History path="/audit" />
    </Permitted>
  )
}
