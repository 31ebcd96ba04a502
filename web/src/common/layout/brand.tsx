import { Mark } from './mark.tsx'
import { texts } from './texts.ts'

/** The sign of the product beside its name. @param company whose console it is, below the name */
export const Brand = ({ company }: { company?: string }) => (
  <div className="brand">
    <Mark />
    <span>
      {texts.salesDataWebhooks}
      {company !== undefined && <bdi>{company}</bdi>}
    </span>
  </div>
)
