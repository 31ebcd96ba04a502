import { Mark } from './mark.tsx'
import { texts } from './texts.ts'

/** The logo beside the name of the product. @param company whose console this is; shown below the name */
export const Brand = ({ company }: { company?: string }) => (
  <div className="brand">
    <Mark />
    <span>
      {texts.salesDataWebhooks}
      {company !== undefined && <bdi>{company}</bdi>}
    </span>
  </div>
)
