import { History } from '../common/ui/history.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Permitted } from '../common/ui/permitted.tsx'

/** Who did what in the company, newest first. */
export default function Audit() {
  return (
    <Permitted action="audit.read" title="Audit">
      <PageTitle title="Audit" />
      <History path="/audit" />
    </Permitted>
  )
}
